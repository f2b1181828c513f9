import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";

/** Collects the routes that are registered after it into `/openapi.json`. */
export async function addOpenapi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Outwork",
        description: "A sandboxed remote executor for coding agents.",
        version,
      },
      components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
      security: [{ token: [] }],
      tags: [
        { name: "environments", description: "Places with their own files and a policy." },
        { name: "tools", description: "The shell tools, as a model calls them." },
        { name: "processes", description: "Programs running in an environment." },
        { name: "files", description: "Trees of files in and out." },
        { name: "operations", description: "Health and documentation." },
      ],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  app.route({
    method: "GET",
    url: "/openapi.json",
    config: { open: true },
    schema: { hide: true },
    handler: async () => app.swagger(),
  });
}
