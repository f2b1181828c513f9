import type { FastifyReply, FastifyRequest } from "fastify";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "../../contract/index.ts";
import type { Environments } from "../../core/environments.ts";
import { problems } from "../documented.ts";
import { EnvironmentPath } from "../paths.ts";
import { answerToolFailures, sendText, wantsText } from "../tool-text.ts";
import { applyTurnPatch } from "../turn-patch.ts";

type Deps = { environments: Environments };

function answers<S extends z.ZodType>(schema: S) {
  return {
    200: {
      description: "The result, or with `Accept: text/plain` the text that a model reads.",
      content: {
        "application/json": { schema },
        "text/plain": { schema: z.string() },
      },
    },
    ...problems,
  };
}

/** The patch tool. */
export const patchRoutes: FastifyPluginAsyncZod<Deps> = async (app, { environments }) => {
  answerToolFailures(app);

  app.route({
    method: "POST",
    url: "/environments/:id/apply_patch",
    schema: {
      operationId: "applyPatch",
      summary: "Verify a patch against the files and apply it",
      tags: ["tools"],
      params: EnvironmentPath,
      body: wire.ApplyPatch,
      response: answers(wire.PatchResult),
    },
    handler: async (request, reply) => {
      const environment = environments.get(request.params.id);
      const options = { signal: request.waitSignal };
      const patch = { ...request.body, policy: environment.resolvePolicy(request.body.policy) };
      const result = await environment.call("outwork/apply_patch", patch, options);
      return answer(request, reply, result);
    },
  });

  app.route({
    method: "POST",
    url: "/apply_patch",
    schema: {
      operationId: "applyTurnPatch",
      summary: "Apply a patch in the environment that its line `*** Environment ID:` names",
      tags: ["tools"],
      body: wire.ApplyTurnPatch,
      response: answers(wire.TurnPatchResult),
    },
    handler: async (request, reply) => {
      const options = { signal: request.waitSignal };
      const result = await applyTurnPatch(environments, request.body, options);
      return answer(request, reply, result);
    },
  });
};

function answer(request: FastifyRequest, reply: FastifyReply, result: wire.PatchResult) {
  return wantsText(request) ? sendText(reply, result.text) : reply.send(result);
}
