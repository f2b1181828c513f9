import type { PatchChange } from "../../contract/patch.ts";
import { OutworkError } from "../../errors.ts";
import type { RunContext } from "../context.ts";
import { PatchApplyError } from "../failure.ts";
import type { Operation, Patch } from "../operation.ts";
import { addFile } from "./add-file.ts";
import { deleteFile } from "./delete-file.ts";
import { Run } from "./run.ts";
import { updateFile } from "./update-file.ts";

/** How a patch ended. What was changed is said even when it failed part way. */
export type PatchOutcome = {
  readonly changes: readonly PatchChange[];
  /** Null: all of it was done. */
  readonly failure: OutworkError | null;
};

/** Applies a patch, file after file, until one fails. Never rejects. */
export async function operate(patch: Patch, context: RunContext): Promise<PatchOutcome> {
  const run = new Run(context);
  try {
    if (patch.operations.length === 0) throw nothingToDo();
    for (const operation of patch.operations) {
      if (context.signal?.aborted) throw cancelled(operation.path);
      await applyOperation(run, operation);
    }
    return { changes: run.changes, failure: null };
  } catch (error) {
    return { changes: run.changes, failure: asOutworkError(error) };
  }
}

function applyOperation(run: Run, operation: Operation): Promise<void> {
  switch (operation.kind) {
    case "add":
      return addFile(run, operation);
    case "delete":
      return deleteFile(run, operation);
    case "update":
      return updateFile(run, operation);
  }
}

function nothingToDo(): PatchApplyError {
  return new PatchApplyError("No files were modified.", "", { rule: "patch-empty" });
}

function cancelled(path: string): PatchApplyError {
  const message = `The patch was cancelled before ${path}`;
  return new PatchApplyError(message, path, { rule: "patch-cancelled" });
}

export function asOutworkError(error: unknown): OutworkError {
  if (error instanceof OutworkError) return error;
  return new OutworkError("internal", "The patch stopped on a fault of ours.", { cause: error });
}
