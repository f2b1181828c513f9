import type { Command, Flag, Flags } from "./command.ts";
import { EXIT_CODE_HELP } from "./exit-codes.ts";
import { GLOBAL_FLAGS } from "./global-flags.ts";

const INTRODUCTION = [
  "Outwork runs commands in environments of their own, each under a policy that the kernel",
  "enforces. `outwork serve` starts the service; everything else talks to it.",
].join("\n");

const FIRST_STEPS = [
  "outwork serve                         start the service, here or in another terminal",
  "outwork env create --id demo          start an environment",
  "outwork exec demo -- uname -a         run something in it",
  "outwork env rm demo                   remove it",
];

/** What `outwork --help` prints. */
export function overview(commands: readonly Command[]): string {
  return sections([
    ["", [INTRODUCTION]],
    ["Usage", ["outwork COMMAND [FLAG…] …", "outwork COMMAND --help", "outwork --version"]],
    ["Commands", columns(commands.map(({ name, summary }) => [name, summary]))],
    ["Flags", columns(flagLines(GLOBAL_FLAGS))],
    ["First steps", FIRST_STEPS],
    ["Exit codes", exitCodes()],
  ]);
}

/** What `outwork COMMAND --help` prints. */
export function commandHelp({ name, usage, description, examples, flags }: Command): string {
  return sections([
    ["", [description]],
    ["Usage", [`outwork ${name} [FLAG…] ${usage}`.trimEnd()]],
    ["Flags", columns(flagLines({ ...flags, ...GLOBAL_FLAGS }))],
    ["Examples", examples],
    ["Exit codes", exitCodes()],
  ]);
}

type Section = readonly [title: string, lines: readonly string[]];

function sections(all: readonly Section[]): string {
  return all.map(([title, lines]) => section(title, lines)).join("\n");
}

function section(title: string, lines: readonly string[]): string {
  if (title === "") return `${lines.join("\n")}\n`;
  return `${title}:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function flagLines(flags: Flags): [string, string][] {
  return Object.entries(flags).map(([name, flag]) => [flagUsage(name, flag), flag.help]);
}

function flagUsage(name: string, { short, value }: Flag): string {
  const letter = short === undefined ? "    " : `-${short}, `;
  return `${letter}--${name}${value === undefined ? "" : ` ${value}`}`;
}

function exitCodes(): string[] {
  const own = columns(EXIT_CODE_HELP.map(([code, meaning]) => [String(code), meaning]));
  return [...own, "`exec` and `attach` exit with the code of the command."];
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`);
}
