import { once } from "node:events";
import { WebSocket } from "ws";

/** One message, parsed. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What a start needs beyond its script. */
export interface StartOptions {
  readonly [member: string]: unknown;
}

/** A plain client of the protocol: it sends what it is told and keeps what it gets. */
export class ProtocolClient {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  readonly #waiting = new Set<() => void>();
  #nextId = 1;
  closed: { readonly code: number; readonly reason: string } | null = null;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      this.messages.push(JSON.parse(data.toString()) as Message);
      this.#tell();
    });
    socket.on("close", (code, reason) => {
      this.closed = { code, reason: reason.toString() };
      this.#tell();
    });
    socket.on("error", () => {});
  }

  static async open(
    url: string,
    options: { readonly headers?: Record<string, string> } = {},
  ): Promise<ProtocolClient> {
    const socket = new WebSocket(url, { perMessageDeflate: false, ...options });
    const client = new ProtocolClient(socket);
    await once(socket, "open");
    return client;
  }

  /** Sends a message as it is. */
  raw(text: string | Uint8Array): void {
    this.socket.send(text);
  }

  notify(method: string, params?: object): void {
    this.raw(JSON.stringify({ method, params }));
  }

  /** Sends a request and waits for nothing. The id of its answer is the result. */
  send(method: string, params?: unknown): number {
    const id = this.#nextId++;
    this.raw(JSON.stringify({ id, method, params }));
    return id;
  }

  /** The answer, whichever it is, without its id. */
  async call(method: string, params?: unknown): Promise<Pick<Message, "result" | "error">> {
    return this.answer(this.send(method, params));
  }

  async answer(id: unknown): Promise<Pick<Message, "result" | "error">> {
    const { id: _, ...answer } = await this.find((message) => same(message.id, id));
    return answer;
  }

  /** The result of a call that must succeed. */
  async result(method: string, params?: unknown): Promise<Record<string, unknown>> {
    const { result, error } = await this.call(method, params);
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** The error of a call that must fail. */
  async error(method: string, params?: unknown) {
    const { result, error } = await this.call(method, params);
    if (error === undefined) throw new Error(`${method} succeeded: ${JSON.stringify(result)}`);
    return error;
  }

  async handshake(resume?: string): Promise<string> {
    const params = { clientName: "test", resumeSessionId: resume ?? null };
    const { sessionId } = await this.result("initialize", params);
    this.notify("initialized", {});
    return String(sessionId);
  }

  /** The first message of its kind, as soon as it is there; rejects when none can come any more. */
  async find(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.messages.find(wanted);
      if (found !== undefined) return found;
      if (this.closed !== null) throw new Error(`closed: ${JSON.stringify(this.closed)}`);
      await this.news();
    }
  }

  /** Resolves at the next message, or when the connection closes. */
  news(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  async closing() {
    while (this.closed === null) await this.news();
    return this.closed;
  }

  /** Notifications about one process, in the order in which they came. */
  eventsOf(processId: string): Message[] {
    return this.messages.filter(
      ({ method, params }) => method?.startsWith("process/") && params?.processId === processId,
    );
  }

  outputOf(processId: string): string {
    const chunks = this.eventsOf(processId).filter(({ method }) => method === "process/output");
    return chunks.map(({ params }) => decode(params?.chunk)).join("");
  }

  async closedOf(processId: string): Promise<void> {
    await this.find(({ method, params }) => {
      return method === "process/closed" && params?.processId === processId;
    });
  }

  exitOf(processId: string): Promise<Message> {
    return this.find(({ method, params }) => {
      return method === "process/exited" && params?.processId === processId;
    });
  }

  async outputIncludes(processId: string, text: string): Promise<void> {
    await this.find(() => this.outputOf(processId).includes(text));
  }

  /** Ends the connection as a crash would: without a close frame. */
  drop(): void {
    this.socket.terminate();
  }

  #tell(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

export function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}

export function decode(chunk: unknown): string {
  return Buffer.from(String(chunk), "base64").toString();
}

function same(id: unknown, wanted: unknown): boolean {
  return id === wanted;
}
