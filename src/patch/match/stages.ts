import { trim, trimEnd } from "../read/white-space.ts";

const FOLDS = [
  { to: "-", from: /[\u2010-\u2015\u2212]/g },
  { to: "'", from: /[\u2018-\u201b]/g },
  { to: '"', from: /[\u201c-\u201f]/g },
  { to: " ", from: /[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g },
];

function fold(text: string): string {
  return FOLDS.reduce((folded, { from, to }) => folded.replace(from, to), trim(text));
}

/**
 * What of a line is compared, from the strictest stage to the loosest: all of it; without trailing
 * white space; without any at either end; with typographic dashes, quotes and spaces as ASCII ones.
 */
export const STAGES: readonly ((text: string) => string)[] = [(text) => text, trimEnd, trim, fold];
