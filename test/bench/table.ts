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
  const cells = [HEAD, ...rows.map(cellsOf)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) => row.map((cell, at) => pad(cell, widths[at] ?? 0, at)).join("  "))
    .join("\n");
}

function cellsOf({ what, figure, unit, p99, wanted }: Row): string[] {
  const ratio = wanted === undefined ? "" : `× ${number(figure / wanted)}`;
  return [what, number(figure), number(p99), unit, number(wanted), ratio];
}

/** Words to the left, numbers to the right. */
function pad(cell: string, width: number, column: number): string {
  return column === 0 || column === 3 ? cell.padEnd(width) : cell.padStart(width);
}

function number(value: number | undefined): string {
  if (value === undefined) return "";
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
