import type { FastifyInstance } from "fastify";
import { OutworkError } from "../../errors.ts";
import { problemOf, sendProblem } from "../problems.ts";

/** Answers every failure, of routes and of routing, as RFC 9457 says. */
export function addProblemDetails(app: FastifyInstance): void {
  const methodsOf = routesByPattern(app);

  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof OutworkError && error.code === "unauthenticated") {
      reply.header("www-authenticate", "Bearer");
    }
    return sendProblem(reply, problemOf(error, request));
  });
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url);
    const methods = methodsOf(path);
    if (methods.length === 0) {
      throw new OutworkError("route-not-found", `There is nothing at ${path}.`);
    }
    reply.header("allow", methods.join(", "));
    const message = `${request.method} does not work on ${path}; ${methods.join(", ")} does.`;
    throw new OutworkError("method-not-allowed", message, { facts: { allowed: methods } });
  });
}

/** The URL without its query, in which a token may be. */
export function pathOf(url: string): string {
  return url.split("?", 1)[0] ?? "";
}

/** Methods of the route that a path would match, whatever the method of the request. */
function routesByPattern(app: FastifyInstance): (path: string) => string[] {
  const routes: { pattern: RegExp; methods: readonly string[] }[] = [];
  app.addHook("onRoute", ({ url, method }) => {
    const pattern = new RegExp(`^${url.replace(/:[a-z_]+/g, "[^/]+")}$`);
    routes.push({ pattern, methods: [method].flat() });
  });
  return (path) => {
    const matching = routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(matching.flatMap(({ methods }) => methods))].sort();
  };
}
