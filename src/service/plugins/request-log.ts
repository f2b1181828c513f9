import type { FastifyInstance } from "fastify";

/** One line for each answer. It names the route's pattern and ids, never a query or a body. */
export function addRequestLog(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    const { method, routeOptions, params, subject } = request;
    request.log.debug(
      {
        method,
        route: routeOptions.url ?? null,
        params,
        subject,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      "request answered",
    );
  });
}
