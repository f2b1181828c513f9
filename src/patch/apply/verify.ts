import type { PatchChange } from "../../contract/patch.ts";
import type { RunContext } from "../context.ts";
import { PatchApplyError } from "../failure.ts";
import { contentOf, lookAt, seenBytes } from "../files/seen.ts";
import { edited } from "../match/edit.ts";
import type { AddFile, Patch, UpdateFile } from "../operation.ts";
import { addedText } from "./add-file.ts";
import { planUpdate, readText } from "./plan-update.ts";
import { Run, replaced } from "./run.ts";

/**
 * What a patch would change, every operation judged on the files as they are now. Writes nothing.
 * @throws {PatchApplyError} a file is named twice, is not as an operation expects it, or not text
 */
export async function verifyPatch(patch: Patch, context: RunContext): Promise<PatchChange[]> {
  const run = new Run(context);
  const targets = new Set<string>();
  for (const operation of patch.operations) {
    const path = run.resolve(operation.path);
    if (targets.has(path)) throw namedTwice(path);
    targets.add(path);
    if (operation.kind === "add") await verifyAdd(run, path, operation);
    else if (operation.kind === "delete") await verifyDelete(run, path);
    else await verifyUpdate(run, path, operation);
  }
  return run.changes;
}

function namedTwice(path: string): PatchApplyError {
  const message = `invalid patch: multiple operations target ${path}`;
  return new PatchApplyError(message, path, { rule: "patch-target" });
}

async function verifyAdd(run: Run, path: string, operation: AddFile): Promise<void> {
  const before = await lookAt(run.files, path);
  const text = addedText(operation);
  const contents = { before: before.content, after: contentOf(() => [text]) };
  const exact = !before.stat || before.content !== null;
  run.record({ kind: "add", path, ...contents, exact, rewrite: replaced(before, text) });
}

async function verifyDelete(run: Run, path: string): Promise<void> {
  const { stat, bytes } = await readText(run.files, path, "Failed to read");
  const before = seenBytes(stat, bytes);
  const rewrite = replaced(before, Buffer.alloc(0));
  run.record({ kind: "delete", path, before: before.content, rewrite });
}

async function verifyUpdate(run: Run, path: string, operation: UpdateFile): Promise<void> {
  const { stat, bytes, edits, matched } = await planUpdate(run.files, path, operation, run.options);
  const to = operation.destination;
  const destination = to === null ? null : run.resolve(to);
  const old = destination === null ? null : await lookAt(run.files, destination);
  run.record({
    kind: destination === null ? "update" : "move",
    path,
    destination,
    before: seenBytes(stat, bytes).content,
    after: contentOf(() => edited(bytes, edits)),
    overwritten: old?.content ?? null,
    matched,
    rewrite: { bytes, edits },
  });
}
