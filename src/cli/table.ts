import { visibleLine } from "./visible.ts";

/** Rows under a head, in columns as wide as their widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(visibleLine));
  const widths = head.map((_, column) => Math.max(...lines.map((row) => row[column]?.length ?? 0)));
  return lines.map((row) => `${aligned(row, widths)}\n`).join("");
}

function aligned(row: readonly string[], widths: readonly number[]): string {
  const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return cells.join("  ").trimEnd();
}
