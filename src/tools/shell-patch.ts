import { type AndOr, type Command, type HereDoc, parse, type Statement, type Word } from "unbash";

/** A patch that a shell script asks for. */
export interface ShellPatch {
  readonly patch: string;
  /** The folder of a `cd` in front of it, as a name and not to be expanded; null: none. */
  readonly folder: string | null;
}

/** More than a folder's path and a delimiter have; a parser of shell is not safe with just any text. */
const MAX_FRAME_CHARACTERS = 8_192;

/** A script without the text of its here-document, and that text. */
interface Framed {
  readonly frame: string;
  readonly body: string;
}

/** What a harness may call the program. */
const PROGRAM_NAMES: readonly string[] = ["apply_patch", "applypatch"];

/**
 * The patch of a script that does nothing but apply one: `apply_patch <<'X'`, alone or after
 * `cd DIR &&`. Null for every other script, which only a shell can run rightly.
 */
export function shellPatch(script: string): ShellPatch | null {
  const framed = framedOf(script);
  if (framed === null) return null;
  const { frame, body } = framed;
  const { commands, errors } = parse(frame);
  const [statement] = commands;
  if (!statement || commands.length > 1 || statement.background || errors?.length) return null;
  const parts = partsOf(statement);
  if (!parts) return null;
  const folder = parts.cd && folderOf(parts.cd);
  if (folder === undefined) return null;
  const document = documentOf(parts.program, folder === null);
  if (!document?.closing || !standsAlone(frame, statement, document)) return null;
  return endsEarlier(body, document) ? null : { patch: body.replace(/\n+$/, ""), folder };
}

/** Takes all lines for a here-document that come after the first `<<` and before the last word. */
function framedOf(script: string): Framed | null {
  const operator = script.indexOf("<<");
  const begin = operator < 0 ? 0 : script.indexOf("\n", operator) + 1;
  const end = script.trimEnd().lastIndexOf("\n") + 1;
  if (begin === 0 || end < begin) return null;
  if (begin + script.length - end > MAX_FRAME_CHARACTERS) return null;
  return { frame: script.slice(0, begin) + script.slice(end), body: script.slice(begin, end) };
}

/** Whether a line of the body is the delimiter already, so that more of the script follows. */
function endsEarlier(body: string, { operator, delimiter }: HereDoc): boolean {
  const lines = body.split("\n");
  if (operator === "<<") return lines.includes(delimiter?.value ?? "");
  return lines.some((line) => line.replace(/^\t+/, "") === delimiter?.value);
}

function partsOf({ command }: Statement): { cd: Command | null; program: Command } | null {
  if (command.type === "Command") return { cd: null, program: command };
  if (command.type !== "AndOr" || !isPlainPair(command)) return null;
  const [cd, program] = command.commands;
  if (cd?.type !== "Command" || program?.type !== "Command") return null;
  return { cd, program };
}

function isPlainPair({ commands, operators }: AndOr): boolean {
  return commands.length === 2 && operators[0] === "&&";
}

/** Undefined: this is no `cd` to one folder whose name can be told without a shell. */
function folderOf({ name, prefix, suffix }: Command): string | undefined {
  const [operand] = suffix;
  if (name?.text !== "cd" || prefix.length > 0 || suffix.length !== 1) return undefined;
  return operand?.type === "Word" && !operand.text.startsWith("-") ? literal(operand) : undefined;
}

function literal({ text, parts }: Word): string | undefined {
  if (text.includes("\\")) return undefined;
  if (!parts) return text;
  const [part] = parts;
  if (!part || parts.length > 1) return undefined;
  if (part.type === "SingleQuoted") return part.value;
  if (part.type !== "DoubleQuoted") return undefined;
  const isPlain = part.parts.every(({ type }) => type === "Literal");
  return isPlain ? text.slice(1, -1) : undefined;
}

/** The one here-document that the program reads, when it is given nothing else that matters. */
function documentOf({ name, prefix, suffix }: Command, alone: boolean): HereDoc | null {
  const last = suffix.at(-1);
  const words = suffix.slice(0, -1);
  if (!PROGRAM_NAMES.includes(name?.text ?? "") || last?.type !== "HereDoc") return null;
  if (prefix.some(({ type }) => type !== "Assignment")) return null;
  if (words.some(({ type }) => type !== "Word") || (alone && words.length > 0)) return null;
  return last.descriptor === undefined && isOneWord(last) ? last : null;
}

/** Bare, or in quotes from end to end. */
function isOneWord({ delimiter }: HereDoc): boolean {
  return /^([^'"\\$`]+|'[^']*'|"[^"\\$`]*")$/.test(delimiter?.text ?? "");
}

/** Nothing but white space around it, not even a comment. */
function standsAlone(script: string, { pos, end }: Statement, { body, closing }: HereDoc): boolean {
  const around = [
    script.slice(0, pos),
    script.slice(end, body.pos),
    script.slice(closing?.end ?? body.end),
  ];
  return around.every((text) => /^[ \t\r\n]*$/.test(text));
}
