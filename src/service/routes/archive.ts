import { IncomingMessage } from "node:http";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "../../contract/index.ts";
import type { Environments } from "../../core/environments.ts";
import { OutworkError } from "../../errors.ts";
import { problems } from "../documented.ts";
import { EnvironmentPath } from "../paths.ts";
import { replyStream, sendStream } from "../reply-stream.ts";

const TAR_TYPE = "application/x-tar";

type Deps = { environments: Environments };

/** Files in and out, as a tar stream that is nowhere held whole. */
export const archiveRoutes: FastifyPluginAsyncZod<Deps> = async (app, { environments }) => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(TAR_TYPE, (_request, payload, done) => done(null, payload));

  app.route({
    method: "GET",
    url: "/environments/:id/archive",
    schema: {
      operationId: "getArchive",
      summary: "Download a folder or file as a tar stream",
      tags: ["files"],
      params: EnvironmentPath,
      querystring: wire.ArchiveQuery,
      response: {
        200: {
          description: "A tar stream; one that was cut short ends without its end mark.",
          content: { [TAR_TYPE]: { schema: z.string() } },
        },
        ...problems,
      },
    },
    handler: async (request, reply) => {
      const environment = environments.get(request.params.id);
      const options = { signal: request.waitSignal };
      const tar = await environment.read("outwork/archive/get", request.query, options);
      return sendStream(reply, TAR_TYPE, replyStream(tar));
    },
  });

  app.route({
    method: "PUT",
    url: "/environments/:id/archive",
    schema: {
      operationId: "putArchive",
      summary: "Unpack a tar stream into a folder",
      tags: ["files"],
      consumes: [TAR_TYPE],
      params: EnvironmentPath,
      querystring: wire.ArchiveQuery,
      response: { 200: wire.ArchiveResult, ...problems },
    },
    handler: async (request) => {
      const body = bodyOf(request.body);
      try {
        const environment = environments.get(request.params.id);
        const options = { signal: request.waitSignal };
        return await environment.write("outwork/archive/put", request.query, tarOf(body), options);
      } finally {
        // A caller that is still sending reads the answer once all is sent.
        body.resume();
      }
    },
  });
};

/** A request without any body has no stream either. */
function bodyOf(body: unknown): IncomingMessage {
  if (body instanceof IncomingMessage) return body;
  const message = `The body must be a tar stream of type ${TAR_TYPE}.`;
  throw new OutworkError("media-type-unsupported", message);
}

/** The pieces of a body, which can be left without cutting the connection that the answer needs. */
function tarOf(body: IncomingMessage): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => body.iterator({ destroyOnReturn: false }) };
}
