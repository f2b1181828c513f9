import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createTar } from "../../src/archive/create.ts";
import { extractTar } from "../../src/archive/extract.ts";
import { OUTPUT_RECORDS_TYPE } from "../../src/contract/agent.ts";
import { CreateEnvironment, type Environment } from "../../src/contract/environment.ts";
import type { OutputEvent } from "../../src/contract/process.ts";
import { SignalProcess, TerminalSize, WriteStdin } from "../../src/contract/process.ts";
import { OutworkError, toProblem } from "../../src/errors.ts";
import { FAKE_POLICY, FakeProcess, fakeStart } from "./fake-process.ts";

export interface FakeOptions {
  /** The token that every request must carry; none is asked for when omitted. */
  readonly token?: string;
  /** What a started process does. */
  readonly onStart?: (process: FakeProcess) => void;
  /** A folder of this machine that stands for the root of every environment. */
  readonly files?: string;
  /** Answers a tool call of an environment. */
  readonly onTool?: (call: ToolCall) => unknown;
}

export interface ToolCall {
  readonly environmentId: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

interface FakeEnvironment {
  readonly environment: Environment;
  readonly processes: Map<string, FakeProcess>;
}

/** The service's routes over environments that exist in memory and processes that run nothing. */
export class FakeService implements AsyncDisposable {
  readonly environments = new Map<string, FakeEnvironment>();
  /** `METHOD /path` of every request, in order of arrival. */
  readonly requests: string[] = [];
  /** Bodies of the environments that were asked for. */
  readonly created: CreateEnvironment[] = [];
  /** Milliseconds between two heartbeats on a quiet output stream. */
  heartbeatMs = 1_000;
  readonly #options: FakeOptions;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(options: FakeOptions) {
    this.#options = options;
  }

  static async open(options: FakeOptions = {}): Promise<FakeService> {
    const service = new FakeService(options);
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  add(id: string): FakeEnvironment {
    const environment = fakeEnvironment(id);
    const added = { environment, processes: new Map() };
    this.environments.set(id, added);
    return added;
  }

  /** The one process of the one environment. */
  get process(): FakeProcess {
    const [process] = [...this.environments.values()].flatMap((e) => [...e.processes.values()]);
    if (process === undefined) throw new Error("nothing has been started");
    return process;
  }

  breakConnections(): void {
    this.#server.closeAllConnections();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      const received = await readRequest(request, gone.signal);
      this.requests.push(`${received.method} ${received.path}`);
      this.#admit(received);
      await this.#route(received, response);
    } catch (error) {
      if (!gone.signal.aborted) sendProblem(response, error);
    }
  }

  #admit({ headers }: Received): void {
    const { token } = this.#options;
    if (token === undefined || headers.authorization === `Bearer ${token}`) return;
    throw new OutworkError("unauthenticated", "a valid bearer token is needed");
  }

  async #route(received: Received, response: ServerResponse): Promise<void> {
    const [, , top, id, part, processId, verb] = received.path.split("/");
    if (top !== "environments") throw new OutworkError("route-not-found", received.path);
    if (id === undefined) return send(response, this.#environments(received));
    const held = this.environments.get(id);
    if (held === undefined) {
      throw new OutworkError("environment-not-found", `there is no environment ${id}`);
    }
    if (part === undefined) return send(response, this.#environment(received, held));
    if (part === "archive") return this.#archive(received, response);
    if (part !== "processes") return send(response, await this.#tool(received, id, part));
    if (processId === undefined) return send(response, this.#processes(received, held));
    const process = held.processes.get(processId);
    if (process === undefined) {
      throw new OutworkError("process-not-found", `there is no process ${processId} in ${id}`);
    }
    if (verb === "output") return this.#output(received, process, response);
    send(response, verb === undefined ? process.listed() : act(verb, process, jsonOf(received)));
  }

  #environments(received: Received): unknown {
    if (received.method === "GET") {
      return { environments: [...this.environments.values()].map((held) => held.environment) };
    }
    const spec = CreateEnvironment.parse(jsonOf(received));
    const { id = "env_fake" } = spec;
    this.created.push(spec);
    return (this.environments.get(id) ?? this.add(id)).environment;
  }

  #environment({ method }: Received, { environment }: FakeEnvironment): unknown {
    if (method === "GET") return environment;
    this.environments.delete(environment.id);
    return undefined;
  }

  #processes(received: Received, { processes }: FakeEnvironment): unknown {
    if (received.method === "GET") {
      return { processes: [...processes.values()].map((process) => process.listed()) };
    }
    const start = fakeStart(jsonOf(received));
    const before = processes.get(start.process_id);
    if (before !== undefined) return before.listed();
    const process = new FakeProcess(start);
    processes.set(start.process_id, process);
    this.#options.onStart?.(process);
    return process.listed();
  }

  async #tool(received: Received, environmentId: string, name: string): Promise<unknown> {
    const args = jsonOf(received) as Record<string, unknown>;
    return this.#options.onTool?.({ environmentId, name, args });
  }

  async #archive(received: Received, response: ServerResponse): Promise<void> {
    const path = join(this.#options.files ?? "/nonexistent", received.query.get("path") ?? "");
    if (received.method === "PUT") {
      send(response, await extractTar(Readable.from([received.body]), path));
      return;
    }
    const tar = createTar(path);
    await Promise.race([once(tar, "readable"), once(tar, "end")]);
    response.setHeader("content-type", "application/x-tar");
    await pipeline(tar, response);
  }

  async #output(received: Received, process: FakeProcess, response: ServerResponse): Promise<void> {
    const records = received.headers.accept === OUTPUT_RECORDS_TYPE;
    response.setHeader("content-type", records ? OUTPUT_RECORDS_TYPE : "application/x-ndjson");
    response.flushHeaders();
    const heartbeat = setInterval(() => response.write("\n"), this.heartbeatMs);
    response.once("close", () => clearInterval(heartbeat));
    const afterSeq = Number(received.query.get("after_seq") ?? 0);
    for await (const event of process.after(afterSeq, received.signal)) {
      response.write(records ? recordOf(event) : `${JSON.stringify(event)}\n`);
    }
    response.end();
  }
}

function act(verb: string, process: FakeProcess, body: unknown): unknown {
  switch (verb) {
    case "stdin":
      return process.write(WriteStdin.parse(body));
    case "signal":
      return { delivered: process.signal(SignalProcess.parse(body).signal) };
    case "terminate":
      return { delivered: process.terminate() };
    case "resize":
      return { delivered: process.resize(TerminalSize.parse(body)) };
    default:
      throw new OutworkError("route-not-found", verb);
  }
}

function recordOf(event: OutputEvent): Buffer {
  if (event.type !== "output") return Buffer.from(`${JSON.stringify(event)}\n`);
  const { chunk, ...rest } = event;
  const bytes = Buffer.from(chunk, "base64");
  const header = JSON.stringify({ ...rest, bytes: bytes.length });
  return Buffer.concat([Buffer.from(`${header}\n`), bytes]);
}

async function readRequest(request: IncomingMessage, signal: AbortSignal): Promise<Received> {
  const url = new URL(request.url ?? "/", "http://fake");
  const body = Buffer.concat(await request.toArray());
  const { method = "GET", headers } = request;
  return { method, path: url.pathname, query: url.searchParams, headers, body, signal };
}

function jsonOf({ body }: Received): unknown {
  return JSON.parse(body.toString());
}

function send(response: ServerResponse, value: unknown): void {
  if (value === undefined) response.writeHead(204).end();
  else response.setHeader("content-type", "application/json").end(JSON.stringify(value));
}

function sendProblem(response: ServerResponse, error: unknown): void {
  const problem = toProblem(error);
  response.writeHead(problem.status, { "content-type": "application/problem+json" });
  response.end(JSON.stringify(problem));
}

function fakeEnvironment(id: string): Environment {
  return {
    id,
    placement: "embedded",
    image: null,
    state: { kind: "ready" },
    policy: FAKE_POLICY,
    workspace: "/workspace",
    variable_names: [],
    limits: {},
    labels: {},
    created_at: new Date(0).toISOString(),
    expires_at: null,
    idle_timeout_ms: null,
    process_count: 0,
  };
}
