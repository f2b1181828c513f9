import type { ChunkLine } from "../operation.ts";

/**
 * A chunk's lines without a blank one at the end of what it expects, and without one at the end of
 * what it leaves; null when no blank line is expected there. Models often end a chunk with an empty
 * line that the file does not have.
 */
export function withoutLastBlank(lines: readonly ChunkLine[]): ChunkLine[] | null {
  const lastOld = lines.findLastIndex((line) => line.kind !== "add");
  const lastNew = lines.findLastIndex((line) => line.kind !== "remove");
  if (lines[lastOld]?.text !== "") return null;
  const droppedNew = lines[lastNew]?.text === "" ? lastNew : -1;
  return lines.flatMap((line, index) => {
    const expected = line.kind !== "add" && index !== lastOld;
    const left = line.kind !== "remove" && index !== droppedNew;
    return kept(line.text, expected, left);
  });
}

function kept(text: string, expected: boolean, left: boolean): ChunkLine[] {
  if (expected) return [{ kind: left ? "context" : "remove", text }];
  return left ? [{ kind: "add", text }] : [];
}
