import type { FastifyReply, FastifyRequest } from "fastify";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "../../contract/index.ts";
import type { Environments } from "../../core/environments.ts";
import { parseExecCommand, parseWriteStdin } from "../../tools/arguments.ts";
import { chooseEnvironment } from "../../tools/environment.ts";
import { resultText } from "../../tools/result-text.ts";
import { problems } from "../documented.ts";
import { execCommand } from "../exec-command.ts";
import { EnvironmentPath } from "../paths.ts";
import { answerToolFailures, sendText, wantsText } from "../tool-text.ts";
import { answering, compileValidator } from "../validation.ts";

type Deps = { environments: Environments };

const result = {
  200: {
    description: "The result, or with `Accept: text/plain` the text that a model reads.",
    content: {
      "application/json": { schema: wire.ToolResult },
      "text/plain": { schema: z.string() },
    },
  },
  ...problems,
};

/** The two shell tools, with the arguments as the model wrote them. */
export const toolRoutes: FastifyPluginAsyncZod<Deps> = async (app, { environments }) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, raw, done) =>
    done(null, raw),
  );
  answerToolFailures(app);

  app.route({
    method: "POST",
    url: "/environments/:id/exec_command",
    validatorCompiler: argumentsBy(parseExecCommand),
    schema: {
      operationId: "execCommand",
      summary: "Run a shell command; it lives on as a session if it has not ended in time",
      tags: ["tools"],
      params: EnvironmentPath,
      body: wire.ExecCommand,
      response: result,
    },
    handler: async (request, reply) => {
      const environment = environments.get(request.params.id);
      chooseEnvironment(request.body.environment_id, [request.params.id]);
      const command = { ...request.body, policy: environment.resolvePolicy(request.body.policy) };
      const options = { signal: request.waitSignal };
      return answer(request, reply, await execCommand(environment, command, options));
    },
  });

  app.route({
    method: "POST",
    url: "/environments/:id/write_stdin",
    validatorCompiler: argumentsBy(parseWriteStdin),
    schema: {
      operationId: "writeStdin",
      summary: "Write to a session, or poll it, and read what it has printed since",
      tags: ["tools"],
      params: EnvironmentPath,
      body: wire.WriteStdinTool,
      response: result,
    },
    handler: async (request, reply) => {
      const environment = environments.get(request.params.id);
      const options = { signal: request.waitSignal };
      return answer(
        request,
        reply,
        await environment.call("outwork/write_stdin", request.body, options),
      );
    },
  });
};

/** The body by the tool's own parser, whose errors the model reads; the rest as everywhere. */
function argumentsBy(parse: (raw: string) => unknown) {
  return (part: { schema: unknown; httpPart?: string }) =>
    part.httpPart === "body"
      ? answering((raw) => parse(typeof raw === "string" ? raw : ""))
      : compileValidator(part);
}

function answer(request: FastifyRequest, reply: FastifyReply, value: wire.ToolResult) {
  return wantsText(request) ? sendText(reply, resultText(value)) : reply.send(value);
}
