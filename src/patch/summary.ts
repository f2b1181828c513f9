import type { Operation, Patch } from "./operation.ts";

const GROUPS = [
  ["A", "add"],
  ["M", "update"],
  ["D", "delete"],
] as const;

/** What program and tool say of a patch that was applied. Paths are as written in the patch. */
export function summary({ operations }: Patch): string {
  const lines = GROUPS.flatMap(([letter, kind]) =>
    operations.filter((one) => one.kind === kind).map((one) => `${letter} ${shownPath(one)}\n`),
  );
  return `Success. Updated the following files:\n${lines.join("")}`;
}

/** A moved file is known by where it went. */
function shownPath(operation: Operation): string {
  const moved = operation.kind === "update" ? operation.destination : null;
  return moved ?? operation.path;
}
