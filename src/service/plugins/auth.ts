import type { FastifyInstance, FastifyRequest } from "fastify";
import { OutworkError } from "../../errors.ts";
import type { Tokens } from "../tokens.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Name of the token that the request came with; null on open routes. */
    subject: string | null;
  }
  interface FastifyContextConfig {
    /** No token is needed. */
    open?: boolean;
  }
}

/** Lets nobody in without a token, not even to learn which routes exist. */
export function addAuth(app: FastifyInstance, tokens: Tokens): void {
  app.decorateRequest("subject", null);
  app.addHook("onRequest", async (request) => {
    if (request.routeOptions.config.open) return;
    const token = bearerOf(request);
    request.subject = token === null ? null : tokens.nameOf(token);
    if (request.subject === null) throw unauthenticated(token);
  });
}

function bearerOf({ headers }: FastifyRequest): string | null {
  const [, token] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
  return token ?? null;
}

function unauthenticated(token: string | null): OutworkError {
  const found = token === null ? "The request has none" : "The token is not known here";
  return new OutworkError(
    "unauthenticated",
    `${found}; send \`Authorization: Bearer TOKEN\` with a token of this service.`,
  );
}
