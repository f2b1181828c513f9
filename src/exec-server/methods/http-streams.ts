import { MAX_HTTP_BODY_BYTES, MAX_HTTP_REQUESTS } from "../limits.ts";
import { clip } from "../quote.ts";
import { internalError, invalidParams, invalidRequest } from "../rpc-error.ts";

/** The HTTP requests of one connection that are under way, and what their bodies take. */
export class HttpStreams {
  readonly #streams = new Set<string>();
  #requests = 0;
  #bodyBytes = 0;

  /** Disposing the result says that the request is over. */
  enter(): Disposable {
    if (this.#requests >= MAX_HTTP_REQUESTS) {
      throw invalidRequest(`at most ${MAX_HTTP_REQUESTS} http/request calls may run at once`);
    }
    this.#requests += 1;
    return { [Symbol.dispose]: () => this.#leave() };
  }

  /** As `enter`, and takes an id until the stream's last delta. */
  enterStream(requestId: string): Disposable {
    if (this.#streams.has(requestId)) {
      const taken = `\`${clip(requestId)}\` is already active`;
      throw invalidParams(`http/request streamResponse requestId ${taken}`);
    }
    const entered = this.enter();
    this.#streams.add(requestId);
    return {
      [Symbol.dispose]: () => {
        this.#streams.delete(requestId);
        entered[Symbol.dispose]();
      },
    };
  }

  /** A whole body in memory, within what the connection may use; `release` gives the memory back. */
  async collect(
    body: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly bytes: Buffer; readonly release: () => void }> {
    const chunks: Uint8Array[] = [];
    let held = 0;
    const release = () => {
      this.#bodyBytes -= held;
      held = 0;
    };
    try {
      for await (const chunk of body) {
        chunks.push(chunk);
        held += chunk.length;
        this.#bodyBytes += chunk.length;
        if (this.#bodyBytes > MAX_HTTP_BODY_BYTES) throw bodyTooLarge();
      }
    } catch (error) {
      release();
      throw error;
    }
    return { bytes: Buffer.concat(chunks), release };
  }

  #leave(): void {
    this.#requests -= 1;
  }
}

function bodyTooLarge(): Error {
  const limit = `bodies of more than ${MAX_HTTP_BODY_BYTES} bytes need streamResponse`;
  return internalError(`failed to read http/request response body: ${limit}`);
}
