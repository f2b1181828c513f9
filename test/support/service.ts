import type { TestContext } from "node:test";
import type { FastifyInstance, InjectOptions } from "fastify";
import { pino } from "pino";
import { Readiness } from "../../src/core/readiness.ts";
import { buildApp, type ServiceDeps } from "../../src/service/app.ts";
import { sha256, Tokens } from "../../src/service/tokens.ts";
import type { FakeAgent } from "./fake-agent.ts";
import { FakePlacement, Substrate } from "./fake-placement.ts";
import { registryOver } from "./registry.ts";

export const TOKEN = "ow_for-tests";

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
  /** The text as JSON; empty if it is none. */
  readonly body: Record<string, unknown>;
}

/** A service over one placement in memory. */
export interface TestService {
  readonly app: FastifyInstance;
  readonly substrate: Substrate;
  /** Lines of the log, each a JSON object. */
  readonly logged: string[];
  /** A request with the token; not sent over a socket. */
  send(options: InjectOptions): Promise<Answer>;
  /** Launches an environment and gives its agent. */
  launch(id: string): Promise<FakeAgent>;
  /** Listens on a free port and gives the URL. */
  listen(): Promise<string>;
}

export async function openService(
  t: TestContext,
  overrides: Partial<ServiceDeps> = {},
): Promise<TestService> {
  const substrate = new Substrate();
  const placements = [new FakePlacement(substrate)];
  const environments = registryOver(placements);
  await environments.recover();
  const logged: string[] = [];
  const app = await buildApp({
    environments,
    readiness: new Readiness({ placements, unrecovered: () => environments.unrecovered }),
    tokens: new Tokens([{ name: "tests", sha256: sha256(TOKEN).toString("hex") }]),
    origins: { allowedOrigins: ["https://allowed.example"], loopbackOnly: true },
    log: pino({ level: "trace" }, { write: (line: string) => logged.push(line) }),
    version: "0.0.0",
    ...overrides,
  });
  t.after(async () => {
    await app.close();
    await environments[Symbol.asyncDispose]();
  });
  const send = async (options: InjectOptions) => {
    const headers = { authorization: `Bearer ${TOKEN}`, ...options.headers };
    const { statusCode, payload, headers: answered } = await app.inject({ ...options, headers });
    const received = answered as Record<string, string>;
    const isJson = /[/+]json/.test(received["content-type"] ?? "");
    const body = isJson ? JSON.parse(payload) : {};
    return { status: statusCode, headers: received, text: payload, body };
  };
  const launch = async (id: string) => {
    await environments.create({ id }, t);
    return substrate.get(id).agent;
  };
  const listen = () => app.listen({ host: "127.0.0.1", port: 0 });
  return { app, substrate, logged, send, launch, listen };
}
