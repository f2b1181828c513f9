import type { PatchPreview } from "../../contract/patch.ts";
import { PatchSyntaxError } from "../failure.ts";
import { type Chunk, newLines, type Operation, oldLines, type Patch } from "../operation.ts";
import { PatchStream } from "./stream.ts";

/** The least time between two previews, in milliseconds. */
export const PREVIEW_INTERVAL_MS = 500;

/**
 * Follows a patch as it arrives, and says what it asks for so far: as soon as there is an operation,
 * then at most once per interval, and at the end. A patch that turns out wrong is previewed as far
 * as it was right.
 * @param now a clock in milliseconds
 */
export async function* previewPatch(
  pieces: AsyncIterable<string> | Iterable<string>,
  now: () => number = () => performance.now(),
): AsyncGenerator<PatchPreview[]> {
  const stream = new PatchStream();
  let shownAt = Number.NEGATIVE_INFINITY;
  for await (const piece of pieces) {
    stream.push(piece);
    if (stream.patch.operations.length === 0 || now() - shownAt < PREVIEW_INTERVAL_MS) continue;
    shownAt = now();
    yield previews(stream.patch);
  }
  yield previews(ended(stream));
}

function ended(stream: PatchStream): Patch {
  try {
    return stream.finish();
  } catch (error) {
    if (error instanceof PatchSyntaxError) return stream.patch;
    throw error;
  }
}

function previews({ operations }: Patch): PatchPreview[] {
  return operations.map(preview);
}

function preview(operation: Operation): PatchPreview {
  const { path } = operation;
  switch (operation.kind) {
    case "add":
      return { kind: "add", path, content: operation.lines.map((line) => `${line}\n`).join("") };
    case "delete":
      return { kind: "delete", path };
    case "update": {
      const diff = operation.chunks.flatMap(chunkLines).map((line) => `${line}\n`);
      return { kind: "update", path, destination: operation.destination, diff: diff.join("") };
    }
  }
}

function chunkLines({ lines }: Chunk): string[] {
  const removed = oldLines(lines).map((line) => `-${line}`);
  return ["@@", ...removed, ...newLines(lines).map((line) => `+${line}`)];
}
