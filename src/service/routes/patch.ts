import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "../../contract/index.ts";
import type { Environments } from "../../core/environments.ts";
import { problems } from "../documented.ts";
import { EnvironmentPath } from "../paths.ts";

type Deps = { environments: Environments };

/** The patch tool. */
export const patchRoutes: FastifyPluginAsyncZod<Deps> = async (app, { environments }) => {
  app.route({
    method: "POST",
    url: "/environments/:id/apply_patch",
    schema: {
      operationId: "applyPatch",
      summary: "Verify a patch against the files and apply it",
      tags: ["tools"],
      params: EnvironmentPath,
      body: wire.ApplyPatch,
      response: {
        200: {
          description: "The result, or with `Accept: text/plain` the text that a model reads.",
          content: {
            "application/json": { schema: wire.PatchResult },
            "text/plain": { schema: z.string() },
          },
        },
        ...problems,
      },
    },
    handler: async (request, reply) => {
      const environment = environments.get(request.params.id);
      const options = { signal: request.waitSignal };
      const patch = { ...request.body, policy: environment.resolvePolicy(request.body.policy) };
      const result = await environment.call("outwork/apply_patch", patch, options);
      if (!request.headers.accept?.startsWith("text/plain")) return reply.send(result);
      return reply.type("text/plain; charset=utf-8").serializer(String).send(result.text);
    },
  });
};
