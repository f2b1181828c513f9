import type { Chunk, Operation, Patch } from "../../../../src/patch/operation.ts";

const SIGNS = { context: " ", add: "+", remove: "-" } as const;

/** A text that reads as a patch. */
export function printPatch({ environment, operations }: Patch): string {
  const id = environment === null ? [] : [`*** Environment ID: ${environment}`];
  const lines = ["*** Begin Patch", ...id, ...operations.flatMap(printOperation), "*** End Patch"];
  return `${lines.join("\n")}\n`;
}

function printOperation(operation: Operation): string[] {
  const { path } = operation;
  switch (operation.kind) {
    case "add":
      return [`*** Add File: ${path}`, ...operation.lines.map((line) => `+${line}`)];
    case "delete":
      return [`*** Delete File: ${path}`];
    case "update": {
      const { destination, chunks } = operation;
      const move = destination === null ? [] : [`*** Move to: ${destination}`];
      return [`*** Update File: ${path}`, ...move, ...chunks.flatMap(printChunk)];
    }
  }
}

function printChunk({ header, lines, final }: Chunk): string[] {
  const body = lines.map(({ kind, text }) => SIGNS[kind] + text);
  return [header === null ? "@@" : `@@ ${header}`, ...body, ...(final ? ["*** End of File"] : [])];
}
