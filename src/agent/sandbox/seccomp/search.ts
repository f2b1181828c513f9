import type { Instruction, Label } from "./instructions.ts";

/** From this number on, up to the next range, calls are decided at this label. */
export interface CallRange {
  readonly from: number;
  readonly label: Label;
}

interface Tree {
  readonly label: Label;
  readonly code: readonly Instruction[];
}

/** Numbers decided at a label of their own; all others at `otherwise`. */
export function rangesOf(
  decided: ReadonlyMap<number, Label>,
  otherwise: Label,
): readonly CallRange[] {
  const ranges: CallRange[] = [{ from: 0, label: decided.get(0) ?? otherwise }];
  const edges = [...decided.keys()].flatMap((number) => [number, number + 1]);
  for (const from of [...new Set(edges)].sort((a, b) => a - b)) {
    const label = decided.get(from) ?? otherwise;
    if (label !== ranges.at(-1)?.label) ranges.push({ from, label });
  }
  return ranges;
}

/**
 * Finds the range of the loaded number by halves. The kernel runs a filter once for every call that
 * there is when it installs it, so that a list of comparisons would cost each command a tenth of a
 * millisecond, and each call of a program more than its work.
 */
export function search(ranges: readonly CallRange[]): readonly Instruction[] {
  return treeOf(ranges).code;
}

function treeOf(ranges: readonly CallRange[]): Tree {
  const middle = ranges[ranges.length >> 1];
  if (!middle) throw new RangeError("no range of calls to search in");
  if (ranges.length === 1) return { label: middle.label, code: [] };
  const below = treeOf(ranges.slice(0, ranges.length >> 1));
  const above = treeOf(ranges.slice(ranges.length >> 1));
  const label = `calls from ${middle.from}`;
  return {
    label,
    code: [
      { kind: "label", label },
      { kind: "jump", when: "at-least", value: middle.from, yes: above.label, no: below.label },
      ...below.code,
      ...above.code,
    ],
  };
}
