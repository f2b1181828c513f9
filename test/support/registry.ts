import { readFileSync } from "node:fs";
import type { Ceiling, Process } from "../../src/contract/index.ts";
import { Environments } from "../../src/core/environments.ts";
import type { Placement } from "../../src/core/placement.ts";
import { parsePresets } from "../../src/policy/index.ts";

const PRESETS = ["read-only", "workspace-write", "danger-full-access", "external-sandbox"];
const presets = parsePresets(
  Object.fromEntries(
    PRESETS.map((name) => [name, JSON.parse(readFileSync(`policies/${name}.json`, "utf8"))]),
  ),
);

export const silentLog = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLog,
};

export const OPEN_CEILING: Ceiling = { presets: ["read-only", "workspace-write"], network: "on" };

/** A registry over these placements; it is not recovered yet. */
export function registryOver(placements: Placement[], ceiling = OPEN_CEILING): Environments {
  const ceilings = Object.fromEntries(placements.map(({ kind }) => [kind, ceiling]));
  const rules = { defaultPlacement: "embedded" as const, presets, ceilings };
  return new Environments({ placements, rules, log: silentLog });
}

/** A running process as an agent lists it. */
export function runningProcess(processId: string): Process {
  return {
    process_id: processId,
    argv: ["sleep", "10"],
    cwd: "/workspace",
    tty: false,
    started_at: new Date().toISOString(),
    state: { kind: "running" },
    output: { next_seq: 1, first_seq: 1, total_bytes: 0, dropped_bytes: 0 },
    policy: {
      preset: "read-only",
      files: { write: [], protected_names: [] },
      network: "off",
    },
  };
}
