import { type Edit, edited } from "../match/edit.ts";

export const LF = 0x0a;

/** Whole lines of a file, as LF alone ends them, that give way to others. */
export type Region = { readonly start: number; readonly end: number; readonly text: Buffer };

/** What edits change, in whole lines: what a diff can say. */
export function regionsOf(bytes: Buffer, edits: readonly Edit[]): Region[] {
  const groups: { start: number; end: number; edits: Edit[] }[] = [];
  for (const edit of edits.map((raw) => trimmed(bytes, raw))) {
    if (edit.start === edit.end && edit.text.length === 0) continue;
    const start = lineStart(bytes, edit.start);
    const last = groups.at(-1);
    if (last && start < last.end) {
      last.end = Math.max(last.end, regionEnd(bytes, edit));
      last.edits.push(edit);
    } else groups.push({ start, end: regionEnd(bytes, edit), edits: [edit] });
  }
  return groups.map(({ start, end, edits }) => ({
    start,
    end,
    text: Buffer.concat([...edited(bytes.subarray(0, end), edits, start)]),
  }));
}

/** An edit without the lines that it would replace by themselves. */
function trimmed(bytes: Buffer, { start, end, text }: Edit): Edit {
  const old = bytes.subarray(start, end);
  const head = commonHead(old, text);
  const tail = commonTail(old.subarray(head), text.subarray(head));
  return { start: start + head, end: end - tail, text: text.subarray(head, text.length - tail) };
}

/** Length of the whole lines that both begin with. */
function commonHead(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head++;
  if (head === a.length && head === b.length) return head;
  return head === 0 ? 0 : a.lastIndexOf(LF, head - 1) + 1;
}

/** Length of the whole lines that both end with. */
function commonTail(a: Buffer, b: Buffer): number {
  const most = Math.min(a.length, b.length);
  let tail = 0;
  while (tail < most && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  while (tail > 0 && !(startsLine(a, a.length - tail) && startsLine(b, b.length - tail))) tail--;
  return tail;
}

function startsLine(bytes: Buffer, at: number): boolean {
  return at === 0 || bytes[at - 1] === LF;
}

function lineStart(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(LF, at - 1) + 1;
}

/** The end of the old lines that an edit touches, its new text ending a line as well. */
function regionEnd(bytes: Buffer, { start, end, text }: Edit): number {
  const newEnds = text.length > 0 ? text.at(-1) === LF : startsLine(bytes, start);
  if (end === bytes.length || (newEnds && startsLine(bytes, end))) return end;
  const newline = bytes.indexOf(LF, end);
  return newline < 0 ? bytes.length : newline + 1;
}
