import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Where connections break: after this many bytes in total to the service, or from it. */
export interface Cut {
  readonly direction: "up" | "down";
  readonly atByte: number;
}

/**
 * A TCP relay that breaks the connection at chosen bytes. Bytes are counted over all connections;
 * each cut happens once, and the bytes before it are delivered.
 */
export class CuttingProxy implements AsyncDisposable {
  readonly counts = { up: 0, down: 0 };
  readonly #cuts: Cut[];
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((near) => this.#relay(near));

  private constructor(port: number, cuts: readonly Cut[]) {
    this.#port = port;
    this.#cuts = [...cuts];
  }

  static async open(port: number, cuts: readonly Cut[] = []): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port, cuts);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #relay(near: Socket): void {
    const far = connect(this.#port, "127.0.0.1");
    const end = () => {
      near.destroySoon();
      far.destroySoon();
    };
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on("error", end).on("close", end);
    }
    near.on("data", (bytes) => this.#pass("up", bytes, far, end));
    far.on("data", (bytes) => this.#pass("down", bytes, near, end));
  }

  #pass(direction: Cut["direction"], bytes: Buffer, to: Socket, end: () => void): void {
    const before = this.counts[direction];
    const cut = this.#cuts.find(
      (one) => one.direction === direction && one.atByte < before + bytes.length,
    );
    const kept = cut === undefined ? bytes.length : Math.max(0, cut.atByte - before);
    this.counts[direction] += kept;
    to.write(bytes.subarray(0, kept));
    if (cut === undefined) return;
    this.#cuts.splice(this.#cuts.indexOf(cut), 1);
    end();
  }
}
