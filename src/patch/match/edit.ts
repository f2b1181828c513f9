import type { ChunkLine } from "../operation.ts";
import type { LineTable } from "./line-table.ts";
import type { Placement } from "./place.ts";

const CR = 0x0d;

/** Bytes of a file from `start` up to `end` that give way to others. */
export type Edit = { readonly start: number; readonly end: number; readonly text: Buffer };

/**
 * What placed chunks change, in the order of the file. Context keeps the file's own bytes; added
 * lines get the file's first ending, and so does a last line that has none. Where two chunks add
 * at one place, the order is theirs.
 */
export function editsOf(table: LineTable, placements: readonly Placement[]): Edit[] {
  const edits = placements
    .flatMap((placement) => editsOfChunk(table, placement))
    .sort((a, b) => a.start - b.start);
  return table.unterminated ? terminated(edits, table) : edits;
}

/** Bytes from an offset on after their edits, as a series of parts that are not copied. */
export function* edited(bytes: Buffer, edits: readonly Edit[], from = 0): Generator<Buffer> {
  let at = from;
  for (const edit of edits) {
    if (edit.start > at) yield bytes.subarray(at, edit.start);
    if (edit.text.length > 0) yield edit.text;
    at = edit.end;
  }
  if (at < bytes.length) yield bytes.subarray(at);
}

function editsOfChunk(table: LineTable, { at, lines }: Placement): Edit[] {
  const edits: Edit[] = [];
  let line = at;
  for (const change of runsOfChanges(lines)) {
    if (change === "context") {
      line++;
      continue;
    }
    const next = line + change.removed;
    const text = Buffer.from(change.added.map((added) => added + table.ending).join(""));
    edits.push({ start: table.start(line), end: table.start(next), text });
    line = next;
  }
  return edits;
}

type Change = { removed: number; added: string[] };

/** Groups added and removed lines that no context separates. */
function runsOfChanges(lines: readonly ChunkLine[]): ("context" | Change)[] {
  const runs: ("context" | Change)[] = [];
  for (const { kind, text } of lines) {
    const last = runs.at(-1);
    if (kind === "context") runs.push("context");
    else if (last === undefined || last === "context") runs.push(changeOf(kind, text));
    else if (kind === "add") last.added.push(text);
    else last.removed++;
  }
  return runs;
}

function changeOf(kind: "add" | "remove", text: string): Change {
  return kind === "add" ? { removed: 0, added: [text] } : { removed: 1, added: [] };
}

/** Ends the last line, unless it is removed, before whatever is added below it. */
function terminated(edits: Edit[], table: LineTable): Edit[] {
  const size = table.bytes.length;
  if (edits.some((edit) => edit.end === size && edit.start < size)) return edits;
  const below = edits.findIndex((edit) => edit.start === size);
  const ending = { start: size, end: size, text: Buffer.from(table.ending) };
  return edits.toSpliced(below < 0 ? edits.length : below, 0, ending);
}

/** Edits that besides end every line with LF. */
export function withLineFeeds(table: LineTable, edits: readonly Edit[]): Edit[] {
  const { bytes } = table;
  if (!bytes.includes(CR) && !edits.some((edit) => edit.text.includes(CR))) return [...edits];
  const text = Buffer.concat([...edited(bytes, edits)]).toString();
  return [{ start: 0, end: bytes.length, text: Buffer.from(text.replace(/\r\n?/g, "\n")) }];
}
