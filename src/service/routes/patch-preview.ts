import { IncomingMessage } from "node:http";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "../../contract/index.ts";
import type { Environments } from "../../core/environments.ts";
import { OutworkError } from "../../errors.ts";
import { previewPatch } from "../../patch/read/preview.ts";
import { problems } from "../documented.ts";
import { EnvironmentPath } from "../paths.ts";
import { replyStream, sendStream } from "../reply-stream.ts";
import { answering, compileValidator } from "../validation.ts";

const TEXT_TYPE = "text/plain";
const NDJSON_TYPE = "application/x-ndjson";
/** As long as a patch in a JSON body can be. */
const MAX_CHARACTERS = 16_777_216;

type Deps = { environments: Environments; heartbeatMs: number };

/** What a patch asks for, while a model is still writing it. */
export const patchPreviewRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { environments, heartbeatMs } = deps;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(TEXT_TYPE, (_request, payload, done) => done(null, payload));

  app.route({
    method: "POST",
    url: "/environments/:id/apply_patch/preview",
    config: { follows: true },
    validatorCompiler: (part) =>
      part.httpPart === "body" ? answering((body) => body) : compileValidator(part),
    schema: {
      operationId: "previewPatch",
      summary: "Send a patch as it is written, and read what it asks for so far",
      description:
        "Answers while the body is still arriving: a line when the first operation is known, then at " +
        "most one in 500 ms, and one at the end. Nothing is checked against files, nothing written.",
      tags: ["tools"],
      consumes: [TEXT_TYPE],
      params: EnvironmentPath,
      body: z.string().describe("The patch, as far as it is written."),
      response: {
        200: {
          description:
            "One object a line, each replacing the one before; empty lines mean nothing.",
          content: { [NDJSON_TYPE]: { schema: wire.PatchPreviews } },
        },
        ...problems,
      },
    },
    handler: async (request, reply) => {
      environments.get(request.params.id);
      const body = bodyOf(request.body);
      request.waitSignal.addEventListener("abort", () => body.destroy(), { once: true });
      const lines = previewLines(body.setEncoding("utf8"));
      return sendStream(reply, NDJSON_TYPE, replyStream(lines, { heartbeatMs }));
    },
  });
};

/** A request without any body has no stream either. */
function bodyOf(body: unknown): IncomingMessage {
  if (body instanceof IncomingMessage) return body;
  const message = `The body must be the text of a patch, of type ${TEXT_TYPE}.`;
  throw new OutworkError("media-type-unsupported", message);
}

async function* previewLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const changes of previewPatch(limited(text))) {
    yield `${JSON.stringify({ changes } satisfies wire.PatchPreviews)}\n`;
  }
}

async function* limited(text: AsyncIterable<string>): AsyncGenerator<string> {
  let characters = 0;
  for await (const piece of text) {
    characters += piece.length;
    if (characters > MAX_CHARACTERS) {
      const message = `The patch is longer than ${MAX_CHARACTERS} characters, the most that is previewed.`;
      throw new OutworkError("too-large", message);
    }
    yield piece;
  }
}
