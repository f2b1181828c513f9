import { lstatSync, readlinkSync } from "node:fs";
import type { AgentConfig } from "../../contract/agent.ts";
import { AGENT_FOLDER, COMMAND_BIN_FOLDER } from "../../contract/constants.ts";
import type { Place } from "./guards.ts";

/** One step of building a command's file tree, in order. Paths are the environment's. */
export type MountStep =
  | { readonly kind: "read-only" | "writable"; readonly source: string; readonly target: string }
  | { readonly kind: "link"; readonly to: string; readonly target: string }
  | { readonly kind: "empty" | "seal" | "devices" | "processes"; readonly target: string };

/** What a command may write: all of the tree, or what these places say. */
export type Writable = "all" | readonly Place[];

/** Where a helper finds its journals of atomic patches. */
export const JOURNAL_FOLDER = `${AGENT_FOLDER}/journal`;

/**
 * Which of the agent's own folders show: for commands only their programs; for helpers the toolbox, and
 * for one that applies patches a folder of journals, by the agent's path.
 */
export type Audience =
  | { readonly kind: "command" }
  | { readonly kind: "helper"; readonly journal: string | null };

type Mounted = NonNullable<AgentConfig["toolbox"]>;

/** The tree of one command or helper. What is not in it does not exist for it. */
export function mountPlan(
  config: AgentConfig,
  writable: Writable,
  audience: Audience,
): readonly MountStep[] {
  return [
    ...systemSteps(config, writable === "all"),
    { kind: "devices", target: "/dev" },
    ...(writable === "all" ? [] : writable.map(placeStep)),
    ...agentSteps(config, audience),
    { kind: "processes", target: "/proc" },
    ...(config.layout.kind === "host" ? [{ kind: "seal" as const, target: "/" }] : []),
  ];
}

function systemSteps({ layout }: AgentConfig, writable: boolean): MountStep[] {
  const kind = writable ? "writable" : "read-only";
  const base: MountStep[] =
    layout.kind === "container"
      ? [{ kind, source: "/", target: "/" }]
      : layout.folders.flatMap(hostFolder);
  const mounts = layout.mounts.map((mount): MountStep => {
    const { source, target } = mount;
    return { kind: mount.writable ? kind : "read-only", source, target };
  });
  return [...base, ...mounts];
}

/** `/bin` and its like are links on merged systems, and must stay links. */
function hostFolder(folder: string): MountStep[] {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isSymbolicLink()
    ? [{ kind: "link", to: readlinkSync(folder), target: folder }]
    : [{ kind: "read-only", source: folder, target: folder }];
}

function placeStep({ path, source, writable }: Place): MountStep {
  return { kind: writable ? "writable" : "read-only", source, target: path };
}

/** Hides the agent's folder, socket included: a read-only mount would not stop a connect. */
function agentSteps(config: AgentConfig, audience: Audience): MountStep[] {
  if (config.toolbox === null) return [];
  return [
    { kind: "empty", target: AGENT_FOLDER },
    ...(config.bin === null
      ? []
      : [{ kind: "read-only" as const, source: config.bin, target: COMMAND_BIN_FOLDER }]),
    ...(audience.kind === "helper" ? helperSteps(config.toolbox, audience.journal) : []),
    { kind: "seal", target: AGENT_FOLDER },
  ];
}

function helperSteps(toolbox: Mounted, journal: string | null): MountStep[] {
  const steps: MountStep[] = [{ kind: "read-only", ...toolbox }];
  if (journal !== null) steps.push({ kind: "writable", source: journal, target: JOURNAL_FOLDER });
  return steps;
}
