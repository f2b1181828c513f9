import { createHash } from "node:crypto";
import { EnvironmentSpec } from "../../contract/environment.ts";

/** Labels are the only store: what a restarted service knows of a container, it reads from these. */
export const LABEL = {
  owner: "dev.outwork.owner",
  environment: "dev.outwork.environment",
  spec: "dev.outwork.spec",
  specHash: "dev.outwork.spec-hash",
  created: "dev.outwork.created",
  /** How to reach the agent, and which launch made the container; see `doors.ts`. */
  door: "dev.outwork.door",
  /** On volumes: the hash of the toolbox in it. */
  toolbox: "dev.outwork.toolbox",
  /** On short-lived containers that are no environment: what they are for. */
  errand: "dev.outwork.errand",
} as const;

/** What the labels of an environment's container say. */
export interface Identity {
  readonly spec: EnvironmentSpec;
  readonly createdAt: Date;
  readonly door: string;
}

export function ownerLabel(owner: string): string {
  return `${LABEL.owner}=${owner}`;
}

export function labelsOf(
  owner: string,
  { spec, createdAt, door }: Identity,
): Record<string, string> {
  const text = JSON.stringify(spec);
  return {
    [LABEL.owner]: owner,
    [LABEL.environment]: spec.id,
    [LABEL.spec]: text,
    [LABEL.specHash]: hashOf(text),
    [LABEL.created]: createdAt.toISOString(),
    [LABEL.door]: door,
  };
}

/** @returns null: these are not the labels of an environment, or not whole */
export function readLabels(labels: Readonly<Record<string, string>>): Identity | null {
  const text = labels[LABEL.spec] ?? "";
  const door = labels[LABEL.door];
  const createdAt = new Date(labels[LABEL.created] ?? "");
  if (door === undefined || labels[LABEL.specHash] !== hashOf(text)) return null;
  const spec = EnvironmentSpec.safeParse(JSON.parse(text));
  if (!spec.success || spec.data.id !== labels[LABEL.environment]) return null;
  return Number.isNaN(createdAt.getTime()) ? null : { spec: spec.data, createdAt, door };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
