import { readdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { OutputRecord } from "../../src/wire/output-records.ts";
import type { TestEnvironment } from "../support/placement-environment.ts";
import { follow, textOf } from "../support/run.ts";
import type { Bait } from "./bait.ts";
import type { Ground } from "./ground.ts";
import { Verdict } from "./verdict.ts";

/** The attack scripts as they are in the repository: the compiler copies no Python. */
export const SCRIPTS = fileURLToPath(new URL("../../../test/escape/inside", import.meta.url));
const HOME = "/home/outwork";
/** For all attacks in one setting, beside those in the others. */
const PATIENCE_MS = 300_000;

const REPOSITORY = [
  { name: ".git/HEAD", content: "ref: refs/heads/main\n" },
  { name: ".git/config", content: "[core]\n\trepositoryformatversion = 0\n\tbare = false\n" },
  { name: ".git/hooks/sample", content: "#!/bin/sh\n" },
  { name: ".git/objects/", type: "directory" as const },
  { name: ".git/refs/heads/", type: "directory" as const },
];

/** Puts the attacks where commands can read but not change them, and a repository to attack. */
export async function arm(environment: TestEnvironment): Promise<void> {
  const names = (await readdir(SCRIPTS)).filter((name) => name.endsWith(".py"));
  const scripts = names.map(async (name) => ({
    name: `attacks/${name}`,
    content: await readFile(`${SCRIPTS}/${name}`, "utf8"),
  }));
  await environment.put(HOME, await Promise.all(scripts));
  await environment.put("/workspace", REPOSITORY);
}

/** Runs every attack by one command. */
export async function attackInside(
  environment: TestEnvironment,
  facts: object,
  terminal: boolean,
): Promise<readonly Verdict[]> {
  const argv = ["/usr/bin/python3", "-B", `${HOME}/attacks/main.py`, JSON.stringify(facts)];
  const started = await environment.start(argv, terminal ? { tty: { rows: 24, cols: 80 } } : {});
  const patient = { signal: AbortSignal.timeout(PATIENCE_MS) };
  const events: OutputRecord[] = [];
  for await (const event of follow(environment.agent, started.process_id, 0, patient)) {
    events.push(event);
  }
  return verdictsIn(textOf(events));
}

/** Programs that are attacked print on the terminal as well; verdicts are lines of JSON. */
export function verdictsIn(output: string): readonly Verdict[] {
  const lines = output.split(/\r?\n/).filter((line) => line.startsWith('{"group"'));
  return lines.map((line) => Verdict.parse(JSON.parse(line)));
}

/** More than any attacker would know. */
export async function factsFor(
  environment: TestEnvironment,
  other: TestEnvironment,
  policy: string,
  { ground, bait }: { readonly ground: Ground; readonly bait: Bait },
): Promise<object> {
  const { pid } = await environment.call("outwork/hello", {});
  return {
    placement: ground.placement.kind,
    policy,
    workspace: "/workspace",
    home: HOME,
    agent_pid: pid,
    agent_socket: ground.socketOf(environment.id),
    state_folder: ground.stateFolder,
    other_folder: ground.folderOf(other.id) ?? dirname(ground.stateFolder),
    ...baitFacts(bait),
  };
}

export function baitFacts(bait: Bait): object {
  return {
    unix_socket: bait.unixSocket,
    // Node's name is as long as names can be.
    abstract: bait.abstractName.padEnd(107, "\0"),
    tcp_port: bait.tcpPort,
    secret: bait.secret,
    // Apart, so that the command line itself is not found.
    secret_text: [bait.secretText.slice(0, 9), bait.secretText.slice(9)],
    marker: [bait.marker.slice(0, 9), bait.marker.slice(9)],
  };
}
