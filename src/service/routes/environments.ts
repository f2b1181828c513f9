import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "../../contract/index.ts";
import type { Environments } from "../../core/environments.ts";
import { problems } from "../documented.ts";
import { EnvironmentPath } from "../paths.ts";

type Deps = { environments: Environments };

/** Create, show, list and remove environments. */
export const environmentRoutes: FastifyPluginAsyncZod<Deps> = async (app, { environments }) => {
  app.route({
    method: "POST",
    url: "/environments",
    schema: {
      operationId: "createEnvironment",
      summary: "Create an environment; the same id with the same spec is the same environment",
      tags: ["environments"],
      body: wire.CreateEnvironment,
      response: {
        200: wire.Environment.describe("It was there already."),
        201: wire.Environment.describe("Launched and ready."),
        ...problems,
      },
    },
    handler: async (request, reply) => {
      const options = { signal: request.waitSignal };
      const { entry, created } = await environments.create(request.body, options);
      reply.code(created ? 201 : 200).header("location", `/v1/environments/${entry.spec.id}`);
      return reply.send(await entry.describe(options));
    },
  });

  app.route({
    method: "GET",
    url: "/environments",
    schema: {
      operationId: "listEnvironments",
      summary: "List all environments, oldest first",
      tags: ["environments"],
      response: { 200: wire.EnvironmentList, ...problems },
    },
    handler: async (request) => ({
      environments: await environments.list({ signal: request.waitSignal }),
    }),
  });

  app.route({
    method: "GET",
    url: "/environments/:id",
    schema: {
      operationId: "getEnvironment",
      summary: "Show one environment",
      tags: ["environments"],
      params: EnvironmentPath,
      response: { 200: wire.Environment, ...problems },
    },
    handler: async (request) =>
      environments.get(request.params.id).describe({ signal: request.waitSignal }),
  });

  app.route({
    method: "DELETE",
    url: "/environments/:id",
    schema: {
      operationId: "removeEnvironment",
      summary: "Remove an environment and all that is in it; one that has ended is no error",
      tags: ["environments"],
      params: EnvironmentPath,
      response: { 204: z.null().describe("Nothing is left of it."), ...problems },
    },
    handler: async (request, reply) => {
      await environments.remove(request.params.id);
      return reply.code(204).send(null);
    },
  });
};
