import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { linesOf } from "../../src/exec-server/transport/lines.ts";
import type { Message } from "./exec-server/protocol-client.ts";

/** A plain client of the exec-server protocol for a program that speaks it over stdin and stdout. */
export class LineClient {
  readonly messages: Message[] = [];
  /** How the program ended, and all that it said on stderr. */
  readonly ended: Promise<{ code: number | null; stderr: string }>;
  readonly #child: ChildProcess;
  #news = Promise.resolve();
  #tell = () => {};
  #nextId = 1;
  #over = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new Error("no pipes");
    stdin.on("error", () => {});
    this.#wait();
    const said = text(stderr);
    const read = this.#read(stdout);
    this.ended = Promise.all([once(child, "close"), said, read]).then(([[code], stderr]) => {
      return { code, stderr };
    });
  }

  send(method: string, params?: unknown): number {
    const id = this.#nextId++;
    this.#write({ id, method, params });
    return id;
  }

  /** The result of a call that must succeed. */
  async result(method: string, params?: unknown): Promise<Record<string, unknown>> {
    const id = this.send(method, params);
    const { result, error } = await this.find((message) => message.id === id);
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async handshake(): Promise<void> {
    await this.result("initialize", { clientName: "test", resumeSessionId: null });
    this.#write({ method: "initialized", params: {} });
  }

  async find(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(wanted);
      if (found !== undefined) return found;
      if (this.#over) throw new Error(`ended: ${JSON.stringify(await this.ended)}`);
      await this.#news;
    }
  }

  outputOf(processId: string): string {
    const chunks = this.messages.filter(
      ({ method, params }) => method === "process/output" && params?.processId === processId,
    );
    return chunks
      .map(({ params }) => Buffer.from(String(params?.chunk), "base64").toString())
      .join("");
  }

  async closedOf(processId: string): Promise<void> {
    await this.find(
      ({ method, params }) => method === "process/closed" && params?.processId === processId,
    );
  }

  async outputIncludes(processId: string, part: string): Promise<void> {
    await this.find(() => this.outputOf(processId).includes(part));
  }

  /** Ends stdin and waits for the program. */
  end(): Promise<{ code: number | null; stderr: string }> {
    this.#child.stdin?.end();
    return this.ended;
  }

  #write(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  async #read(stdout: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const line of linesOf(stdout)) {
      this.messages.push(JSON.parse(line.toString("utf8")) as Message);
      this.#wait();
    }
    this.#over = true;
    this.#tell();
  }

  /** Wakes who waits for news, and lets the next wait begin. */
  #wait(): void {
    this.#tell();
    this.#news = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }
}
