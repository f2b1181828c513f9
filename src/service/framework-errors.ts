import type { Socket } from "node:net";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { toProblem } from "../errors.ts";
import { invalid } from "./issues.ts";
import { problemOf, sendProblem } from "./problems.ts";

/** A URL that cannot be decoded. It is not repeated: a token may be in it. */
export function answerFrameworkError(
  _error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const error = invalid([{ path: "", message: "The URL cannot be decoded." }]);
  reply.header("x-request-id", request.id);
  sendProblem(reply, problemOf(error, request));
}

/** Bytes that are not a request. They are not logged: a token may be in them. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(toProblem(invalid([{ path: "", message: "Not an HTTP request." }])));
  const head = [
    "HTTP/1.1 400 Bad Request",
    "content-type: application/problem+json",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
