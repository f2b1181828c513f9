import type { Figure } from "./exec-server-scenes.ts";
import { aligned, number } from "./table.ts";

/** What one server did. */
export interface Column {
  readonly name: string;
  readonly figures: readonly Figure[];
}

/** Servers side by side; the first is what the others are compared with. */
export function comparison([reference, ...others]: readonly [Column, ...Column[]]): string {
  const head = ["", "unit", ...cellsOfHead(reference), ...others.flatMap(headWithRatio)];
  const rows = reference.figures.map(({ what, unit }, at) => [
    what,
    unit,
    ...cells(reference.figures[at]),
    ...others.flatMap(({ figures }) => [
      ...cells(figures[at]),
      ratio(figures[at], reference.figures[at]),
    ]),
  ]);
  return aligned([head, ...rows], [0, 1]);
}

function cellsOfHead({ name }: Column): string[] {
  return [name, "p99"];
}

function headWithRatio(column: Column): string[] {
  return [...cellsOfHead(column), "ratio"];
}

function cells(figure: Figure | undefined): string[] {
  return [number(figure?.figure), number(figure?.p99)];
}

function ratio(ours: Figure | undefined, reference: Figure | undefined): string {
  if (ours === undefined || reference === undefined) return "";
  return `× ${number(ours.figure / reference.figure)}`;
}
