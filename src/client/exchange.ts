import type { Readable } from "node:stream";
import { type Agent, type Dispatcher, request } from "undici";
import { OutworkError, systemCode } from "../errors.ts";
import { refusal } from "./refusal.ts";
import { type Repeat, transportFailure } from "./transport-failure.ts";

/** One request on its way to one service. */
export interface Exchange {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  readonly query?: Record<string, string | number> | undefined;
  readonly body?: Sent | undefined;
  readonly accept?: string | undefined;
  readonly repeat: Repeat;
  readonly signal?: AbortSignal | undefined;
  /** Longest silence in the answer's body, in milliseconds; omitted: no limit. */
  readonly silenceMs?: number | undefined;
}

export interface Sent {
  readonly type: string;
  readonly content: string | Readable;
}

export type Answer = Dispatcher.ResponseData<unknown>;

/** Where exchanges go, and over which connections. */
export interface Line {
  readonly url: string;
  readonly token: string | undefined;
  readonly agent: Agent;
}

/**
 * Sends one request once. Resolves with an answer of 2xx whose body is still to be read.
 * @throws the service's own problem, `service-unreachable` or `outcome-unknown`
 */
export async function exchange(line: Line, sent: Exchange): Promise<Answer> {
  const address = addressOf(line, sent);
  const options = optionsOf(line, sent);
  const answer = await unbroken(sent, () => request(address, options));
  if (answer.statusCode >= 200 && answer.statusCode < 300) return answer;
  const text = await unbroken(sent, () => answer.body.text());
  throw refusal(answer.statusCode, text, sent);
}

/** Runs a step of an exchange. What breaks becomes an error that says what it means. */
export async function unbroken<T>(sent: Exchange, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw meaning(error, sent);
  }
}

/** The bytes of an answer. A connection that breaks before their end is an error, not an end. */
export async function* received({ body }: Answer, sent: Exchange): AsyncGenerator<Buffer> {
  try {
    yield* body as AsyncIterable<Buffer>;
  } catch (error) {
    throw meaning(error, sent);
  }
}

/** What undici says once its agent has been destroyed. */
const CLOSED = new Set(["UND_ERR_DESTROYED", "UND_ERR_CLOSED"]);

function meaning(error: unknown, sent: Exchange): unknown {
  if (sent.signal?.aborted === true) return sent.signal.reason;
  if (CLOSED.has(systemCode(error) ?? ""))
    return new Error("this client is closed", { cause: error });
  return error instanceof OutworkError ? error : transportFailure(error, sent);
}

function addressOf({ url }: Line, { path, query = {} }: Exchange): URL {
  const address = new URL(url.replace(/\/+$/, "") + path);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, String(value));
  return address;
}

function optionsOf({ token, agent }: Line, sent: Exchange): Parameters<typeof request>[1] {
  const { method, body, accept, signal, silenceMs } = sent;
  return {
    dispatcher: agent,
    method,
    body: body?.content ?? null,
    headers: {
      accept: accept ?? "application/json",
      ...(body === undefined ? {} : { "content-type": body.type }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    signal: signal ?? null,
    bodyTimeout: silenceMs ?? 0,
  };
}
