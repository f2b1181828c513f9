import { lookAt } from "../files/seen.ts";
import type { AddFile } from "../operation.ts";
import { type Run, replaced } from "./run.ts";

/** Writes the lines of an Add, over whatever file is there. @throws {PatchApplyError} */
export async function addFile(run: Run, operation: AddFile): Promise<void> {
  const path = run.resolve(operation.path);
  await run.expectFree(path);
  const before = await lookAt(run.files, path);
  const text = addedText(operation);
  const after = await run.write({ path, before, content: () => [text] });
  const exact = !before.stat || before.content !== null;
  const rewrite = replaced(before, text);
  run.record({ kind: "add", path, before: before.content, after, exact, rewrite });
}

/** Every line of an Add ends with LF. */
export function addedText({ lines }: AddFile): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}
