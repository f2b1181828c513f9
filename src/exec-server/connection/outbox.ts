import { errorMessage, notificationMessage, type RequestId, resultMessage } from "../envelope.ts";
import { MAX_MESSAGE_BYTES, OUTBOX_HIGH_WATER_BYTES } from "../limits.ts";
import { invalidRequest, type RpcError } from "../rpc-error.ts";
import type { Transport } from "../transport/transport.ts";

/** Answers a message that could not be read far enough to know its id. */
const NO_ID = -1n;

/**
 * What goes out, in order. Answers go at once; whoever would send much first waits for `room`, so
 * that a client which does not read costs little memory.
 */
export class Outbox {
  readonly #transport: Transport;
  readonly #waiting: (() => void)[] = [];
  #open = true;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get pendingBytes(): number {
    return this.#transport.pendingBytes;
  }

  result(id: RequestId, result: object): void {
    const message = Buffer.from(resultMessage(id, result));
    if (message.length <= MAX_MESSAGE_BYTES) this.#send(message);
    else this.error(id, tooLarge(message.length));
  }

  error(id: RequestId, error: RpcError): void {
    this.#send(Buffer.from(errorMessage(id, error.toWire())));
  }

  malformed(detail: string, id: RequestId = NO_ID): void {
    this.error(id, invalidRequest(`failed to parse ${this.#transport.name}: ${detail}`));
  }

  /** `params` is an object, or the JSON text of one. */
  notify(method: string, params: object | string): void {
    const text = typeof params === "string" ? params : JSON.stringify(params);
    this.#send(Buffer.from(notificationMessage(method, text)));
  }

  /** Resolves, first come first served, when little is left unsent; also when all is over. */
  room(): Promise<void> {
    if (this.#waiting.length === 0 && this.#hasRoom()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The peer has taken something. One waiter goes at a time: it is about to send. */
  drained(): void {
    if (!this.#hasRoom()) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    next();
    setImmediate(() => this.drained());
  }

  close(): void {
    this.#open = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #send(message: Buffer): void {
    if (this.#open) this.#transport.send(message);
  }

  #hasRoom(): boolean {
    return this.#transport.pendingBytes < OUTBOX_HIGH_WATER_BYTES;
  }
}

function tooLarge(bytes: number): RpcError {
  const limit = `a message carries at most ${MAX_MESSAGE_BYTES} bytes`;
  return invalidRequest(`the answer of ${bytes} bytes cannot be sent: ${limit}`);
}
