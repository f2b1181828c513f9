import { once } from "node:events";
import { WebSocket } from "ws";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly processId: string;
    readonly stream?: string;
    readonly chunk?: string;
    readonly exitCode?: number;
  };
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** What a program has printed and how it ended, so far. */
interface Ended {
  bytes: number;
  exitCode: number | null;
  said: string;
}

interface Running extends Ended {
  readonly end: (ended: Ended) => void;
}

/** A client of the exec-server protocol that does no more than a measurement needs. */
export class ExecServerWire {
  readonly #socket: WebSocket;
  readonly #asked = new Map<number, (message: Message) => void>();
  readonly #running = new Map<string, Running>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data) => this.#receive(JSON.parse(data.toString())));
  }

  static async open(url: string): Promise<ExecServerWire> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await once(socket, "open");
    const wire = new ExecServerWire(socket);
    await wire.call("initialize", { clientName: "bench", resumeSessionId: null });
    socket.send(JSON.stringify({ method: "initialized", params: {} }));
    return wire;
  }

  call(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, ({ result, error }) => {
        if (result === undefined) reject(new Error(`${method}: ${error?.message}`));
        else resolve(result);
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Runs a program until it is closed; how many bytes it printed. */
  async run(
    argv: readonly string[],
    place: { cwd: string; sandbox: object | null },
  ): Promise<number> {
    const processId = `bench-${++this.#lastId}`;
    const ended = new Promise<Ended>((resolve) => {
      this.#running.set(processId, { bytes: 0, exitCode: null, said: "", end: resolve });
    });
    const env = { PATH: "/usr/bin:/bin" };
    const rest = { tty: false, pipeStdin: false, arg0: null };
    await this.call("process/start", { processId, argv, env, ...rest, ...place });
    const { bytes, exitCode, said } = await ended;
    this.#running.delete(processId);
    if (exitCode !== 0) throw new Error(`${argv.join(" ")} ended with ${exitCode}: ${said}`);
    return bytes;
  }

  close(): void {
    this.#socket.terminate();
  }

  #receive(message: Message): void {
    const { id, params } = message;
    if (id !== undefined) {
      this.#asked.get(id)?.(message);
      this.#asked.delete(id);
      return;
    }
    const running = this.#running.get(params?.processId ?? "");
    if (running !== undefined) this.#tell(running, message);
  }

  #tell(running: Running, { method, params }: Message): void {
    const { chunk = "", stream, exitCode = null } = params ?? {};
    if (method === "process/exited") running.exitCode = exitCode;
    else if (method === "process/closed") running.end(running);
    else if (method === "process/output") {
      running.bytes += Buffer.byteLength(chunk, "base64");
      if (stream === "stderr") running.said += Buffer.from(chunk, "base64").toString();
    }
  }
}
