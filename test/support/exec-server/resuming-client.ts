import assert from "node:assert/strict";
import { decode, encode, ProtocolClient } from "./protocol-client.ts";

/** What became of one process, put together over all connections. */
export interface Story {
  readonly output: string;
  readonly exitCode: number | null;
  /** Numbers of all events, in order. */
  readonly seqs: readonly number[];
}

interface Catchup {
  readonly chunks: readonly { readonly seq: number; readonly chunk: string }[];
  readonly nextSeq: number;
  readonly exited: boolean;
  readonly exitCode: number | null;
  readonly closed: boolean;
}

/**
 * A client that comes back as the stock one does: with its session, its unanswered writes, and a read
 * of what it has not seen. Other than that one it also repeats a start that was not answered.
 */
export class ResumingClient {
  readonly #url: () => string;
  #client: ProtocolClient | null = null;
  #session: string | null = null;
  /** All connections so far, the newest last. */
  readonly connections: ProtocolClient[] = [];
  readonly #read = new Map<number, string>();
  readonly #processId: string;
  #exitCode: number | null = null;
  #end: Catchup | null = null;

  constructor(url: () => string, processId: string) {
    this.#url = url;
    this.#processId = processId;
  }

  async start(params: object): Promise<void> {
    const { error } = await this.call("process/start", params);
    if (error !== undefined) assert.match(error.message, /^process \S+ already exists$/);
  }

  async write(writeId: string, text: string): Promise<void> {
    const params = { processId: this.#processId, writeId, chunk: encode(text) };
    for (;;) {
      const { result, error } = await this.call("process/write", params);
      // The start that was cut off is still under way.
      if (result?.status === "starting") continue;
      return assert.equal(result?.status, "accepted", JSON.stringify(error));
    }
  }

  /** Asks until there is an answer, over as many connections as it takes. */
  async call(method: string, params: object) {
    for (;;) {
      try {
        return await (await this.#connected()).call(method, params);
      } catch {
        this.#client = null;
      }
    }
  }

  /** Waits for the end, wherever the news of it comes from. */
  async story(): Promise<Story> {
    for (;;) {
      try {
        const client = await this.#connected();
        if (this.#end === null) await client.closedOf(this.#processId);
        return this.#told();
      } catch {
        this.#client = null;
      }
    }
  }

  async #connected(): Promise<ProtocolClient> {
    if (this.#client !== null && this.#client.closed === null) return this.#client;
    const client = await ProtocolClient.open(this.#url());
    this.connections.push(client);
    const known = this.#session;
    this.#session = await client.handshake(known ?? undefined);
    if (known !== null) {
      assert.equal(this.#session, known);
      await this.#catchUp(client);
    }
    this.#client = client;
    return client;
  }

  async #catchUp(client: ProtocolClient): Promise<void> {
    const afterSeq = this.#seenUpTo();
    const params = { processId: this.#processId, afterSeq, maxBytes: null, waitMs: 0 };
    const { result } = await client.call("process/read", params);
    // A process whose start got lost is not known.
    if (result === undefined) return;
    const caught = result as unknown as Catchup;
    for (const { seq, chunk } of caught.chunks) this.#read.set(seq, decode(chunk));
    this.#exitCode ??= caught.exitCode;
    if (caught.closed) this.#end = caught;
  }

  /** Without a gap: a new connection may already have pushed what comes after one. */
  #seenUpTo(): number {
    const seen = new Map([...this.#read, ...this.#pushed()]);
    let upTo = 0;
    while (seen.has(upTo + 1)) upTo += 1;
    return upTo;
  }

  /** Each number once: what was pushed twice is a fault. */
  #pushed(): Map<number, string> {
    const events = this.connections.flatMap((client) => client.eventsOf(this.#processId));
    const pushed = new Map<number, string>();
    for (const { params } of events) {
      const seq = Number(params?.seq);
      assert.ok(!pushed.has(seq), `event ${seq} came twice`);
      pushed.set(seq, decode(params?.chunk ?? ""));
    }
    return pushed;
  }

  #told(): Story {
    const chunks = new Map([...this.#read, ...this.#pushed()]);
    const last = this.#end === null ? Math.max(...chunks.keys()) : this.#end.nextSeq - 1;
    // The two that end a process carry no output, and a read does not number them.
    const seqs = new Set([...chunks.keys(), last - 1, last]);
    const sorted = [...seqs].sort((a, b) => a - b);
    const output = sorted.map((seq) => chunks.get(seq) ?? "").join("");
    return { output, exitCode: this.#exitCode ?? this.#pushedExitCode(), seqs: sorted };
  }

  #pushedExitCode(): number | null {
    const events = this.connections.flatMap((client) => client.eventsOf(this.#processId));
    const exited = events.find(({ method }) => method === "process/exited");
    return exited === undefined ? null : Number(exited.params?.exitCode);
  }
}
