/** One line of the report. */
export interface Row {
  readonly what: string;
  readonly figure: number;
  readonly unit: "ms" | "commands/s" | "MB/s" | "MiB";
  /** The 99th percentile, for times. */
  readonly p99?: number;
  /** What the design asks for, in the same unit; absent where the row is there to compare with. */
  readonly wanted?: number;
}

const HEAD = ["", "median", "p99", "unit", "wanted", "of wanted"];

/** All rows as one table. */
export function table(rows: readonly Row[]): string {
  return aligned([HEAD, ...rows.map(cellsOf)], [0, 3]);
}

/** Cells in columns: words, in these columns, to the left, numbers to the right. */
export function aligned(rows: readonly (readonly string[])[], words: readonly number[]): string {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const padded = (cell: string, at: number) =>
    words.includes(at) ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  return rows.map((row) => row.map(padded).join("  ").trimEnd()).join("\n");
}

function cellsOf({ what, figure, unit, p99, wanted }: Row): string[] {
  const ratio = wanted === undefined ? "" : `× ${number(figure / wanted)}`;
  return [what, number(figure), number(p99), unit, number(wanted), ratio];
}

export function number(value: number | undefined): string {
  if (value === undefined) return "";
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
