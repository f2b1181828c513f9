import type { Random } from "./random.ts";
import type { Tree } from "./tree.ts";

/** Files, and a patch for them that may or may not fit. */
export type Scenario = { readonly tree: Tree; readonly patch: string };

export const SCENARIOS: Record<string, (random: Random) => Scenario> = {
  grammar,
  placing,
  files,
};

const TREE: Tree = { "f.txt": "a\nb\n\nc\n", d: "x\n" };

const OUTER = ["*** Begin Patch", "*** End Patch", " *** End Patch", "<<EOF", "EOF", "\t", "", "x"];

const BODY = [
  "*** Add File: a",
  "*** Add File: b/c",
  " *** Add File: e",
  "*** Add File: ",
  "*** Add File:x",
  "*** Delete File: d",
  "\t*** Delete File: d ",
  "*** Update File: f.txt",
  "*** Update File: f.txt  ",
  "*** Update File: d",
  "*** Move to: m",
  "*** Move to: ",
  "*** Move to: f.txt",
  " *** Move to: m",
  "*** End of File",
  "*** End of File ",
  " *** End of File",
  "*** Environment ID: x",
  "*** Environment ID:",
  "*** End Patch",
  " *** End Patch",
  "*** Begin Patch",
  "*** Foo",
  "@@",
  "@@ ",
  "@@ a",
  "@@  b",
  "@@\tx",
  "@@x",
  " @@",
  " a",
  "-a",
  "+a",
  "-b",
  "+b",
  " c",
  "-c",
  "-",
  "+",
  " ",
  "",
  "",
  "  ",
  "\t",
  "\u00a0",
  "\u3000x",
  "\ufeff",
  "+x\ry",
  "+z\r\r",
  " a\r",
  "oops",
  "+\u0085",
];

const USUAL = ["@@", " a", "-a", "+a", " b", "-b", "+b", "", " c", "*** End of File", "@@ a"];

/** Lines in any order: what can be read, and what is said of the rest. */
function grammar(random: Random): Scenario {
  const lines = random.some(9, () => random.pick(random.chance(0.6) ? USUAL : BODY));
  if (random.chance(0.7)) lines.unshift("*** Update File: f.txt");
  const wrapped = ["*** Begin Patch", ...lines, "*** End Patch"];
  if (random.chance(0.15)) wrapped.splice(random.below(3), 0, random.pick(OUTER));
  if (random.chance(0.15)) wrapped.splice(wrapped.length - random.below(3), 0, random.pick(OUTER));
  if (random.chance(0.1)) wrapped.pop();
  if (random.chance(0.1)) wrapped.shift();
  if (random.chance(0.1)) wrapped.unshift(random.pick(["<<EOF", "<<'EOF'", '<<"EOF"', "<<X"]));
  if (random.chance(0.1)) wrapped.push(random.pick(["EOF", "xEOF", "EOF ", "X"]));
  const newline = random.chance(0.1) ? "\r\n" : "\n";
  return { tree: TREE, patch: wrapped.join(newline) + random.pick(["", "\n", " \n\n", "\u3000"]) };
}

const TEXTS = ["a", "b", "c", "", "a b", "x - y", "'q'", "\ufeffa"];
const LOOSE: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => `${text} `,
  (text) => `${text}\u3000`,
  (text) => `  ${text}`,
  (text) => `\u0085${text}\t`,
  (text) => text.replace("-", "\u2013"),
  (text) => text.replace(" ", "\u00a0"),
  (text) => text.replaceAll("'", "\u2019"),
  (text) => text.replace(" ", "\u2001"),
];
const ENDINGS = ["\n", "\n", "\n", "\r\n", "\r"];

/** One file and chunks cut from it, more or less exactly. */
function placing(random: Random): Scenario {
  const lines = random.some(14, () => random.pick(LOOSE)(random.pick(TEXTS)));
  const ending = random.pick(ENDINGS);
  const endings = lines.map(() => (random.chance(0.9) ? ending : random.pick(ENDINGS)));
  if (random.chance(0.3)) endings[endings.length - 1] = "";
  const cuts = random.some(3, () => random.below(lines.length + 1)).sort((a, b) => a - b);
  const chunks = cuts.flatMap((start) => chunk(random, lines, start));
  const text = lines.map((line, at) => line + endings[at]).join("");
  const move = random.chance(0.05) ? ["*** Move to: g.txt"] : [];
  const patch = ["*** Begin Patch", "*** Update File: f.txt", ...move, ...chunks, "*** End Patch"];
  return { tree: { "f.txt": text }, patch: patch.join("\n") };
}

function chunk(random: Random, lines: readonly string[], start: number): string[] {
  const cut = lines.slice(start, start + random.below(4));
  const header = random.chance(0.1) ? `@@ ${random.pick(LOOSE)(random.pick(TEXTS))}` : "@@";
  const body = cut.flatMap((line) =>
    sign(random, random.chance(0.3) ? loosened(random, line) : line),
  );
  if (random.chance(0.25)) body.push(random.pick(["", " ", "-", "+", "+new", "-b", " a"]));
  if (random.chance(0.1)) body.push("");
  if (random.chance(0.1)) body.push("*** End of File");
  return [header, ...body];
}

function loosened(random: Random, line: string): string {
  return random.pick(LOOSE)(random.chance(0.5) ? line.trim() : line);
}

function sign(random: Random, line: string): string[] {
  const added = random.chance(0.3) ? [`+${random.pick(["new", "", "a", "b "])}`] : [];
  return random.chance(0.5) ? [` ${line}`, ...added] : [`-${line}`, ...added];
}

const PATHS = [
  "f.txt",
  "./f.txt",
  "s/../f.txt",
  "s/g.txt",
  "s//g.txt",
  "s",
  "s/",
  "new",
  "n/e/w",
  "f.txt/x",
  "to-f",
  "to-s/g.txt",
  "to-s",
  "nowhere",
  "nowhere/x",
  "loop",
  "bin",
  "a\tb",
  ".",
  "to-s/h",
];
const FILES: Tree = {
  "f.txt": "a\nb\n",
  "s/g.txt": "a\nb\n",
  "to-f": "-> f.txt",
  "to-s": "-> s",
  nowhere: "-> no/thing",
  loop: "-> loop",
  bin: "a\n\u00ff",
};

/** Several operations on files, folders and links. */
function files(random: Random): Scenario {
  const operations = random.some(3, () => operation(random)).flat();
  return { tree: FILES, patch: ["*** Begin Patch", ...operations, "*** End Patch"].join("\n") };
}

function operation(random: Random): string[] {
  const path = random.pick(PATHS);
  const kind = random.below(5);
  if (kind === 4) return ["*** Update File: f.txt", "@@", "+c"];
  if (kind === 0) return [`*** Add File: ${path}`, "+new"];
  if (kind === 1) return [`*** Delete File: ${path}`];
  const move = kind === 2 ? [`*** Move to: ${random.pick(PATHS)}`] : [];
  return [
    `*** Update File: ${path}`,
    ...move,
    "@@",
    random.pick(["-a", "-b", " a", "-new", ""]),
    "+c",
  ];
}
