import { Automaton, type Occurrences } from "./automaton.ts";
import type { LineTable } from "./line-table.ts";
import { firstMatch } from "./sequence.ts";
import { STAGES } from "./stages.ts";

/** Where lines were found. */
export type Match = {
  /** Number of the first line, from 0. */
  readonly at: number;
  /** How loosely lines had to be compared: 1 (identical) to 4. */
  readonly stage: number;
  /** In how many places of the file the lines occur, compared like that. */
  readonly candidates: number;
};

type Pattern = readonly string[];
type Compared = { readonly file: Int32Array; readonly patterns: Map<Pattern, Known> };
type Known = Occurrences & { readonly symbols: readonly number[] };

/**
 * Finds runs of lines in a file. All patterns are known from the start, so that what a stage does
 * not hold is learnt in one pass over the file, however many patterns there are; and a search for
 * what it does hold ends where it finds it. A whole update thus takes linear time.
 */
export class Matcher {
  readonly #table: LineTable;
  readonly #patterns: readonly Pattern[];
  readonly #stages: Compared[] = [];

  /** @param patterns every run that will be asked for, by identity; none is empty */
  constructor(table: LineTable, patterns: readonly Pattern[]) {
    this.#table = table;
    this.#patterns = patterns;
  }

  /** The first place from a line on, at the strictest stage that has one. */
  find(pattern: Pattern, from: number): Match | null {
    for (let stage = 0; stage < STAGES.length; stage++) {
      const { file, known } = this.#compared(stage, pattern);
      if (known.lastEnd - pattern.length + 1 < from) continue;
      const at = firstMatch(file, known.symbols, from);
      return { at, stage: stage + 1, candidates: known.count };
    }
    return null;
  }

  /** The place that ends with the file's last line, if it is not before a line. */
  findFinal(pattern: Pattern, from: number): Match | null {
    const at = this.#table.count - pattern.length;
    if (at < from) return null;
    for (let stage = 0; stage < STAGES.length; stage++) {
      const { file, known } = this.#compared(stage, pattern);
      const fits = known.symbols.every((symbol, offset) => file[at + offset] === symbol);
      if (fits) return { at, stage: stage + 1, candidates: 1 };
    }
    return null;
  }

  #compared(stage: number, pattern: Pattern): { file: Int32Array; known: Known } {
    this.#stages[stage] ??= compare(this.#table, this.#patterns, STAGES[stage] ?? String);
    const { file, patterns } = this.#stages[stage];
    const known = patterns.get(pattern);
    if (!known) throw new Error("the matcher was asked for lines that it was not made for");
    return { file, known };
  }
}

/** Numbers the lines of file and patterns, equal ones alike, and looks for all patterns at once. */
function compare(
  table: LineTable,
  patterns: readonly Pattern[],
  keyOf: (text: string) => string,
): Compared {
  const symbols = new Map<string, number>();
  const numbered = patterns.map((pattern) => pattern.map((text) => number(symbols, keyOf(text))));
  const file = new Int32Array(table.count);
  for (let line = 0; line < table.count; line++) {
    file[line] = symbols.get(keyOf(table.text(line))) ?? 0;
  }
  const found = new Automaton(numbered, symbols.size + 1).scan(file);
  const known = new Map<Pattern, Known>();
  for (const [index, pattern] of patterns.entries()) {
    const occurrences = found[index] ?? { count: 0, lastEnd: -1 };
    known.set(pattern, { ...occurrences, symbols: numbered[index] ?? [] });
  }
  return { file, patterns: known };
}

function number(symbols: Map<string, number>, key: string): number {
  const known = symbols.get(key) ?? symbols.size + 1;
  symbols.set(key, known);
  return known;
}
