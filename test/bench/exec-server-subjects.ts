import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Outwork } from "../../src/client/index.ts";
import { codexBinary } from "../support/codex.ts";
import { cliArgv, cliVariables } from "../support/outwork-cli.ts";
import { passableFolder } from "../support/passable-folder.ts";
import { family } from "./memory.ts";
import { dockerSubject, embeddedSubject } from "./subject.ts";

/** One exec-server to talk to. */
export interface ExecServerSubject {
  readonly name: string;
  readonly url: string;
  /** A folder that commands may write. */
  readonly folder: string;
  /** Every process that serves it. */
  pids(): Promise<readonly number[]>;
}

type Started = readonly [subjects: readonly ExecServerSubject[], stop: () => Promise<void>];

/** The reference, as it comes. */
export async function startReference(): Promise<Started> {
  const binary = await codexBinary();
  // Below the temporary folder it would go without the programs that its sandbox needs.
  const folder = await mkdtemp(resolve(".cache/bench-"));
  const args = ["exec-server", "--listen", "ws://127.0.0.1:0"];
  const env = { PATH: process.env.PATH, HOME: folder, CODEX_HOME: folder };
  const child = spawn(binary, args, { env, stdio: ["ignore", "pipe", "ignore"], detached: true });
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  // The program that npm puts into place starts the real one.
  const pids = async () => family(child.pid ?? 0).slice(1);
  const stop = async () => {
    child.kill("SIGTERM");
    await once(child, "close");
    await rm(folder, { recursive: true, force: true });
  };
  return [[{ name: "codex", url, folder, pids }], stop];
}

/** The same through a service of ours, in one environment of each placement. */
export async function startOurs(image: string): Promise<Started> {
  const folder = await passableFolder("outwork-bench-");
  const config = join(folder, "config.json");
  const ceiling = { presets: ["read-only", "workspace-write", "danger-full-access"] };
  const placements = { embedded: { ceiling }, docker: { ceiling } };
  const written = { state_folder: folder, listen: { port: 0 }, placements, log_level: "error" };
  await writeFile(config, JSON.stringify(written));
  const [program, ...argv] = cliArgv(["serve", "--config", config]);
  // Ctrl-C is for us: we need the service to clean up.
  const stdio = ["ignore", "pipe", "ignore"] as const;
  const child = spawn(program, argv, { env: cliVariables(), stdio: [...stdio], detached: true });
  await once(createInterface(child.stdout), "line");
  const outwork = await Outwork.local({ OUTWORK_STATE: folder });
  const token = (await readFile(join(folder, "token"), "utf8")).trim();
  const { url } = JSON.parse(await readFile(join(folder, "service.json"), "utf8"));
  const policy = { preset: "danger-full-access" } as const;
  const { environments } = outwork;
  await environments.create({ id: "embedded", placement: "embedded", policy });
  await environments.create({ id: "docker", placement: "docker", image, policy });
  const places = [
    await embeddedSubject(outwork.environment("embedded"), folder),
    await dockerSubject(outwork.environment("docker")),
  ];
  const subjects = places.map(({ environment, pids }) => ({
    name: environment.id,
    url: `${url.replace("http", "ws")}/v1/environments/${environment.id}/exec-server?token=${token}`,
    folder: "/workspace",
    pids: async () => [child.pid ?? 0, ...(await pids())],
  }));
  const stop = async () => {
    for (const { name } of subjects) await environments.remove(name);
    await outwork[Symbol.asyncDispose]();
    child.kill("SIGTERM");
    await once(child, "close");
    await rm(folder, { recursive: true, force: true });
  };
  return [subjects, stop];
}
