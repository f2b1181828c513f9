import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { OutworkError } from "../../errors.ts";
import { isLoopback } from "../loopback.ts";

export interface OriginRules {
  /** Web origins that may call, as browsers spell them. */
  readonly allowedOrigins: readonly string[];
  /** Bound to loopback: only names of loopback are right in `Host`. */
  readonly loopbackOnly: boolean;
}

/**
 * Keeps web pages out: another site's scripts by `Origin`, and a site that has pointed its own name
 * at this machine by `Host`. Pages of the allowed origins get what CORS needs.
 */
export function addOriginCheck(app: FastifyInstance, rules: OriginRules): void {
  app.addHook("onRequest", async (request, reply) => {
    if (rules.loopbackOnly) refuseForeignHost(request);
    const { origin } = request.headers;
    if (origin === undefined) return;
    if (!rules.allowedOrigins.includes(origin)) {
      const message = `Pages of ${origin} may not call this service; allowed_origins says which may.`;
      throw new OutworkError("not-permitted", message, { facts: { origin } });
    }
    reply.header("access-control-allow-origin", origin).header("vary", "origin");
    reply.header("access-control-expose-headers", "x-request-id");
    if (isPreflight(request)) return answerPreflight(reply);
  });
}

function refuseForeignHost({ hostname, host }: FastifyRequest): void {
  if (isLoopback(hostname)) return;
  const message = `Host is ${host}, and this service answers on loopback names only.`;
  throw new OutworkError("not-permitted", message, { facts: { host } });
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .header("access-control-allow-methods", "GET, POST, PUT, DELETE")
    .header("access-control-allow-headers", "authorization, content-type, x-request-id")
    .header("access-control-max-age", "600")
    .code(204)
    .send();
}
