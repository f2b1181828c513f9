import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type RawData, WebSocket, WebSocketServer } from "ws";

/** Which message the connection breaks at, counted from 1 over all connections, and whether it arrives. */
export interface MessageCut {
  readonly direction: "up" | "down";
  readonly at: number;
  readonly delivered: boolean;
}

/** A WebSocket relay that breaks the connection at one chosen message, or stops passing anything on. */
export class CuttingRelay implements AsyncDisposable {
  readonly counts = { up: 0, down: 0 };
  /** Where connections lead; a restarted service is elsewhere. */
  target: string;
  stalled = false;
  readonly #cut: MessageCut | null;
  readonly #server: WebSocketServer;
  readonly #sockets = new Set<WebSocket>();

  private constructor(target: string, cut: MessageCut | null, server: WebSocketServer) {
    this.target = target;
    this.#cut = cut;
    this.#server = server;
    server.on("connection", (near) => this.#relay(near));
  }

  static async open(target: string, cut: MessageCut | null = null): Promise<CuttingRelay> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await once(server, "listening");
    return new CuttingRelay(target, cut, server);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.terminate();
    this.#server.close();
  }

  #relay(near: WebSocket): void {
    const far = new WebSocket(this.target, { perMessageDeflate: false });
    near.pause();
    far.once("open", () => near.resume());
    const end = () => {
      if (this.stalled) return;
      near.terminate();
      far.terminate();
    };
    for (const socket of [near, far]) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
    }
    near.once("close", end);
    far.once("close", (code, reason) => {
      if (code > 1006) near.close(code, reason);
      else end();
    });
    near.on("message", (message) => this.#pass("up", message, far, end));
    far.on("message", (message) => this.#pass("down", message, near, end));
  }

  #pass(direction: "up" | "down", message: RawData, to: WebSocket, end: () => void): void {
    if (this.stalled) return;
    this.counts[direction] += 1;
    const cut = this.#cut;
    const isCut = cut?.direction === direction && cut.at === this.counts[direction];
    if (isCut && !cut.delivered) end();
    else to.send(message.toString(), isCut ? end : () => {});
  }
}
