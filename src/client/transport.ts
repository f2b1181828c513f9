import { Readable } from "node:stream";
import { Agent } from "undici";
import type { z } from "zod";
import type { ProblemCode } from "../contract/problem-codes.ts";
import { OutworkError } from "../errors.ts";
import { type CallOptions, callSignal, endedBy } from "./call-signal.ts";
import { type Exchange, exchange, type Line, received, unbroken } from "./exchange.ts";
import { repeated } from "./repeat.ts";
import { mayRepeat } from "./transport-failure.ts";

/** Longest wait for an answer that the service gives at once, in milliseconds. */
const ANSWER_TIMEOUT_MS = 60_000;

export interface TransportOptions {
  readonly url: string;
  readonly token: string | undefined;
  /** Further tries of a request that may be repeated. */
  readonly retries: number;
}

/** One call, as the client's parts word it. */
export interface Call extends Omit<Exchange, "body">, CallOptions {
  readonly json?: unknown;
}

/** HTTP to one service: addresses, the token, repeated tries, problems rebuilt as errors. */
export class Transport {
  readonly #line: Line;
  readonly #retries: number;

  constructor({ url, token, retries }: TransportOptions) {
    // No limit on silence: a quiet process is not a dead one.
    const agent = new Agent({ bodyTimeout: 0, headersTimeout: 0 });
    this.#line = { url, token, agent };
    this.#retries = retries;
  }

  /** Sends, and reads the whole answer as one JSON value of this shape. */
  json<S extends z.ZodType>(call: Call, schema: S): Promise<z.output<S>> {
    return this.#tried(call, async (sent) => {
      const { body } = await exchange(this.#line, sent);
      return shaped(schema, await unbroken(sent, () => body.json()), sent);
    });
  }

  /**
   * Sends a call whose answer says nothing more than that it was done. On a repeated try the
   * problems `doneBefore` mean that an earlier copy has done it.
   */
  done(call: Call, doneBefore: readonly ProblemCode[]): Promise<void> {
    return this.#tried(call, async (sent, failures) => {
      try {
        const { body } = await exchange(this.#line, sent);
        await unbroken(sent, () => body.dump());
      } catch (error) {
        if (failures === 0 || !(error instanceof OutworkError)) throw error;
        if (!doneBefore.includes(error.code)) throw error;
      }
    });
  }

  /** Sends once, and hands the answer's bytes over as they arrive. */
  async stream(sent: Exchange): Promise<AsyncIterable<Buffer>> {
    return received(await exchange(this.#line, sent), sent);
  }

  /** As `stream`, for those who want a Readable. Destroying it ends the request. */
  async readable(sent: Exchange): Promise<Readable> {
    const answer = await exchange(this.#line, sent);
    const stream = Readable.from(received(answer, sent), { objectMode: false });
    return stream.once("close", () => answer.body.destroy());
  }

  /** Sends once what cannot be sent again, a stream, and reads the answer as JSON. */
  async upload<S extends z.ZodType>(sent: Exchange, schema: S): Promise<z.output<S>> {
    const { body } = await exchange(this.#line, sent);
    return shaped(schema, await unbroken(sent, () => body.json()), sent);
  }

  close(): Promise<void> {
    return this.#line.agent.destroy();
  }

  async #tried<T>(call: Call, attempt: Attempt<T>): Promise<T> {
    const options = { timeoutMs: ANSWER_TIMEOUT_MS, ...call };
    const signal = callSignal(options);
    const sent = { ...call, signal, body: jsonBody(call.json) };
    try {
      return await repeated((failures) => attempt(sent, failures), {
        retries: call.retries ?? this.#retries,
        again: (error) => mayRepeat(error, call.repeat),
        signal,
      });
    } catch (error) {
      throw signal?.aborted === true ? endedBy(options, `${call.method} ${call.path}`) : error;
    }
  }
}

type Attempt<T> = (sent: Exchange, failures: number) => Promise<T>;

function jsonBody(json: unknown): Exchange["body"] {
  if (json === undefined) return undefined;
  return { type: "application/json", content: JSON.stringify(json) };
}

function shaped<S extends z.ZodType>(schema: S, value: unknown, sent: Exchange): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const message = `the answer to ${sent.method} ${sent.path} has a shape that this client lacks`;
  throw new OutworkError("internal", message, { cause: result.error });
}
