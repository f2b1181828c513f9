/**
 * Start of the first run in a sequence, from a position on; -1 for none. Takes time linear in what
 * it passes over, after Knuth, Morris and Pratt.
 */
export function firstMatch(sequence: Int32Array, run: readonly number[], from: number): number {
  const borders = bordersOf(run);
  let matched = 0;
  for (let at = from; at < sequence.length; at++) {
    while (matched > 0 && run[matched] !== sequence[at]) matched = borders[matched - 1] ?? 0;
    if (run[matched] === sequence[at]) matched++;
    if (matched === run.length) return at - matched + 1;
  }
  return -1;
}

/** For each head of a run, the length of its longest shorter head that is also its tail. */
function bordersOf(run: readonly number[]): number[] {
  const borders = [0];
  for (let at = 1; at < run.length; at++) {
    let border = borders[at - 1] ?? 0;
    while (border > 0 && run[border] !== run[at]) border = borders[border - 1] ?? 0;
    borders.push(run[border] === run[at] ? border + 1 : border);
  }
  return borders;
}
