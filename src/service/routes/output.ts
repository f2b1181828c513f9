import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "../../contract/index.ts";
import type { Environments } from "../../core/environments.ts";
import { problems } from "../documented.ts";
import { outputLine, untilClosed } from "../output-lines.ts";
import { ProcessPath } from "../paths.ts";
import { problemOf } from "../problems.ts";
import { replyStream, sendStream } from "../reply-stream.ts";

const NDJSON_TYPE = "application/x-ndjson";

type Deps = { environments: Environments; heartbeatMs: number };

/** Follow what a process prints. Hanging up ends the reading, never the process. */
export const outputRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { environments, heartbeatMs } = deps;
  app.route({
    method: "GET",
    url: "/environments/:id/processes/:process_id/output",
    config: { follows: true },
    schema: {
      operationId: "followOutput",
      summary: "Follow a process's output from a sequence number on, until it is closed",
      tags: ["processes"],
      params: ProcessPath,
      querystring: wire.OutputQuery,
      response: {
        200: {
          description: "One event after another; the last is `closed` or `problem`.",
          content: {
            [NDJSON_TYPE]: { schema: wire.OutputLine },
            [wire.OUTPUT_RECORDS_TYPE]: { schema: z.string().describe("Output records.") },
          },
        },
        ...problems,
      },
    },
    handler: async (request, reply) => {
      const { id, process_id } = request.params;
      const raw = request.headers.accept?.includes(wire.OUTPUT_RECORDS_TYPE) ?? false;
      const from = { process_id, after_seq: request.query.after_seq };
      const options = { signal: request.waitSignal };
      const records = await environments.get(id).read("outwork/process/output", from, options);
      const lines = untilClosed<Uint8Array | string>(
        records,
        raw ? (record) => record : outputLine,
        (error) => problemOf(error, request),
      );
      const type = raw ? wire.OUTPUT_RECORDS_TYPE : NDJSON_TYPE;
      return sendStream(reply, type, replyStream(lines, { heartbeatMs }));
    },
  });
};
