import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { OutworkError } from "../errors.ts";

/** Whether the caller wants what a model reads, and nothing else. */
export function wantsText({ headers }: FastifyRequest): boolean {
  return headers.accept?.startsWith("text/plain") ?? false;
}

export function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type("text/plain; charset=utf-8").serializer(String).send(text);
}

/** Who asked for text gets a failed call as the one line that a model reads. */
export function answerToolFailures(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof OutworkError) || error.code !== "tool-failed") throw error;
    if (!wantsText(request)) throw error;
    return sendText(reply.code(error.status), error.message);
  });
}
