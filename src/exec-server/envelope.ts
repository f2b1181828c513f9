import { anything, type Decoder, string } from "./decode.ts";
import { DecodeError } from "./decode-error.ts";
import { optional, required, struct } from "./decode-shape.ts";
import { readJson } from "./json/reader.ts";
import { JsonSyntaxError } from "./json/syntax-error.ts";
import { type Json, JsonNumber, type JsonObject } from "./json/value.ts";
import { MAX_ID_CHARS } from "./limits.ts";
import type { WireError } from "./rpc-error.ts";

/** Chosen by the peer and repeated in the answer with its type and every digit. */
export type RequestId = string | bigint;

/** One message by its kind. */
export type Envelope =
  | {
      readonly kind: "request";
      readonly id: RequestId;
      readonly method: string;
      readonly params: Json;
    }
  | { readonly kind: "notification"; readonly method: string; readonly params: Json }
  | { readonly kind: "response" | "error"; readonly id: RequestId };

/** A message that cannot be understood. It is answered with id -1 and the connection goes on. */
export class MalformedMessageError extends Error {
  override readonly name = "MalformedMessageError";
}

const I64_MIN = -(2n ** 63n);
const I64_MAX = 2n ** 63n - 1n;
const INTEGER_LITERAL = /^-?\d{1,19}$/;

const requestId: Decoder<RequestId> = (value) => {
  if (typeof value === "string" && value.length <= MAX_ID_CHARS) return value;
  if (value instanceof JsonNumber && INTEGER_LITERAL.test(value.literal)) {
    const id = BigInt(value.literal);
    if (id >= I64_MIN && id <= I64_MAX) return id;
  }
  throw new DecodeError("data did not match any variant of untagged enum RequestId");
};

const trace = struct("W3cTraceContext", {
  traceparent: optional(string),
  tracestate: optional(string),
});

const requestEnvelope = struct("JSONRPCRequest", {
  id: required(requestId),
  method: required(string),
  trace: optional(trace),
});
const notificationEnvelope = struct("JSONRPCNotification", { method: required(string) });
const responseEnvelope = struct("JSONRPCResponse", { id: required(requestId) });
const errorEnvelope = struct("JSONRPCError", {
  error: required(
    struct("JSONRPCErrorError", { code: required(anything), message: required(string) }),
  ),
  id: required(requestId),
});

/** @throws MalformedMessageError */
export function readEnvelope(text: string): Envelope {
  try {
    return classify(readJson(text));
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof DecodeError) {
      throw new MalformedMessageError(error.message, { cause: error });
    }
    throw error;
  }
}

function classify(message: Json): Envelope {
  if (!(message instanceof Map)) throw new DecodeError("expected a JSON-RPC object");
  if (message.has("method")) return message.has("id") ? request(message) : notification(message);
  if (message.has("result")) return { kind: "response", id: responseEnvelope(message).id };
  return { kind: "error", id: errorEnvelope(message).id };
}

function request(message: JsonObject): Envelope {
  const { id, method } = requestEnvelope(message);
  return { kind: "request", id, method, params: message.get("params") ?? null };
}

function notification(message: JsonObject): Envelope {
  const { method } = notificationEnvelope(message);
  return { kind: "notification", method, params: message.get("params") ?? null };
}

/** The id near the start of a message too large to be read, so that its sender is not left waiting. */
export function idOfOversized(head: string): RequestId | null {
  const [, literal] = /^\s*\{\s*"id"\s*:\s*(-?\d{1,19}|"[^"\\]{0,256}")\s*,/.exec(head) ?? [];
  if (literal === undefined) return null;
  return literal.startsWith('"') ? literal.slice(1, -1) : BigInt(literal);
}

/** The text of a successful answer. `result` is an object, never null: clients rely on it. */
export function resultMessage(id: RequestId, result: object): string {
  return `{"id":${idText(id)},"result":${JSON.stringify(result)}}`;
}

export function errorMessage(id: RequestId, error: WireError): string {
  return `{"error":${JSON.stringify(error)},"id":${idText(id)}}`;
}

/** `params` as JSON text: some hold integers that no double holds. */
export function notificationMessage(method: string, params: string): string {
  return `{"method":${JSON.stringify(method)},"params":${params}}`;
}

function idText(id: RequestId): string {
  return typeof id === "bigint" ? id.toString() : JSON.stringify(id);
}
