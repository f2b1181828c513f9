import {
  MAX_REQUEST_BYTES_IN_FLIGHT,
  MAX_REQUESTS_IN_FLIGHT,
  OUTBOX_STALL_BYTES,
} from "../limits.ts";
import type { Transport } from "../transport/transport.ts";

/** Stops reading from a client that asks faster than it is served, or does not take its answers. */
export class Inflow {
  readonly #transport: Transport;
  #requests = 0;
  #bytes = 0;
  #paused = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** A request has come; the result says that it is over, and may be called twice. */
  enter(bytes: number): () => void {
    this.#requests += 1;
    this.#bytes += bytes;
    this.update();
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#requests -= 1;
      this.#bytes -= bytes;
      this.update();
    };
  }

  update(): void {
    const full =
      this.#requests >= MAX_REQUESTS_IN_FLIGHT ||
      this.#bytes >= MAX_REQUEST_BYTES_IN_FLIGHT ||
      this.#transport.pendingBytes >= OUTBOX_STALL_BYTES;
    if (full === this.#paused) return;
    this.#paused = full;
    if (full) this.#transport.pause();
    else this.#transport.resume();
  }
}
