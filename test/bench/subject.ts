import { readFile } from "node:fs/promises";
import Docker from "dockerode";
import type { RemoteEnvironment } from "../../src/client/index.ts";
import { LABEL } from "../../src/placements/docker/labels.ts";
import { foldersOf } from "../../src/placements/embedded/folders.ts";
import { bareBubblewrap } from "./bare-bubblewrap.ts";
import { engineExec } from "./bare-engine.ts";
import { family, parentOf } from "./memory.ts";

export const TRUE = ["/bin/true"];

/** One environment, and the same place without Outwork to compare with. */
export interface Subject {
  readonly environment: RemoteEnvironment;
  /** How `bare` runs `true` in that place. */
  readonly bareName: string;
  bare(): Promise<void>;
  /** The same without its filter of system calls; null where it has none. */
  readonly unfiltered: (() => Promise<void>) | null;
  /** Every process that is there because the environment is. */
  pids(): Promise<readonly number[]>;
}

export async function embeddedSubject(
  environment: RemoteEnvironment,
  stateFolder: string,
): Promise<Subject> {
  const { agentConfig, record } = foldersOf(stateFolder, environment.id);
  const bare = await bareBubblewrap(agentConfig, TRUE, { filtered: true });
  const unfiltered = await bareBubblewrap(agentConfig, TRUE, { filtered: false });
  const { pid } = JSON.parse(await readFile(record, "utf8"));
  const bareName = "bwrap, bare";
  return { environment, bareName, bare, unfiltered, pids: async () => family(pid) };
}

export async function dockerSubject(environment: RemoteEnvironment): Promise<Subject> {
  const engine = new Docker();
  const filters = { label: [`${LABEL.environment}=${environment.id}`] };
  const [found] = await engine.listContainers({ filters });
  if (found === undefined) throw new Error(`no container is labelled ${environment.id}`);
  const container = engine.getContainer(found.Id);
  const { Pid } = (await container.inspect()).State;
  const shim = parentOf(String(Pid)) ?? Number.NaN;
  return {
    environment,
    bareName: "docker exec, bare",
    bare: () => engineExec(container, TRUE),
    unfiltered: null,
    pids: async () => [shim, ...family(Pid)],
  };
}
