/** Environment variables by name. */
export type Variables = Readonly<Record<string, string>>;

/** How a command's variables come about, as the client asks. Patterns know `*` and `?`. */
export interface EnvPolicy {
  readonly inherit: "all" | "core" | "none";
  readonly ignoreDefaultExcludes: boolean;
  readonly exclude: readonly string[];
  readonly set: Variables;
  readonly includeOnly: readonly string[];
}

const CORE_NAMES = [
  "PATH",
  "SHELL",
  "TMPDIR",
  "TEMP",
  "TMP",
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "USER",
];
const DEFAULT_EXCLUDES = ["*KEY*", "*SECRET*", "*TOKEN*"];

/** Credentials of clients of this protocol: no child ever sees them. */
const NEVER_PASSED = [
  "CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN",
  "NODE_REPL_AUTH_TOKEN",
  "OPENAI_FEDERATION_RULE_ID",
  "OPENAI_IDENTITY_TOKEN_FILE",
  "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
  "CODEX_EXEC_SERVER_EXIT_ON_STDIN_CLOSE",
];

type Entries = readonly (readonly [name: string, value: string])[];

/** The variables of one child. Without a policy these are the overlay and nothing is inherited. */
export function childVariables(input: {
  readonly policy: EnvPolicy | null;
  /** What the executor offers: never the variables of the agent itself. */
  readonly own: Variables;
  /** The request's own variables, which no pattern filters. */
  readonly overlay: Variables;
  /** Set when a terminal would otherwise lack it. */
  readonly terminalShell: string | null;
}): Variables {
  const { policy, own, overlay, terminalShell } = input;
  const base = policy === null ? [] : inherited(policy, Object.entries(own));
  const merged = new Map([...base, ...Object.entries(overlay)]);
  if (terminalShell !== null && !merged.has("SHELL")) merged.set("SHELL", terminalShell);
  return Object.fromEntries(without([...merged], NEVER_PASSED));
}

function inherited(policy: EnvPolicy, own: Entries): Entries {
  const start = starting(policy.inherit, own);
  const usual = policy.ignoreDefaultExcludes ? start : without(start, DEFAULT_EXCLUDES);
  const set = new Map([...without(usual, policy.exclude), ...Object.entries(policy.set)]);
  return policy.includeOnly.length === 0 ? [...set] : only([...set], policy.includeOnly);
}

function starting(inherit: EnvPolicy["inherit"], own: Entries): Entries {
  if (inherit === "none") return [];
  return inherit === "all" ? own : only(own, CORE_NAMES);
}

function only(entries: Entries, patterns: readonly string[]): Entries {
  const matches = patterns.map(matcher);
  return entries.filter(([name]) => matches.some((match) => match(name)));
}

function without(entries: Entries, patterns: readonly string[]): Entries {
  const matches = patterns.map(matcher);
  return entries.filter(([name]) => !matches.some((match) => match(name)));
}

/** Whole names, without case. Linear in the name for every pattern, whoever wrote it. */
function matcher(pattern: string): (name: string) => boolean {
  const parts = pattern.toLowerCase().split("*");
  return (name) => matchesParts(name.toLowerCase(), parts);
}

/** Greedy from the left is enough: a later place for a part never helps the parts after it. */
function matchesParts(name: string, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return name.length === first.length && fits(name, first, 0);
  if (name.length < first.length + last.length || !fits(name, first, 0)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of rest) {
    at = find(name, part, at, end);
    if (at === -1) return false;
    at += part.length;
  }
  return at <= end && fits(name, last, end);
}

function find(name: string, part: string, from: number, end: number): number {
  for (let at = from; at + part.length <= end; at += 1) if (fits(name, part, at)) return at;
  return -1;
}

function fits(name: string, part: string, at: number): boolean {
  for (let offset = 0; offset < part.length; offset += 1) {
    const wanted = part.charAt(offset);
    if (wanted !== "?" && wanted !== name.charAt(at + offset)) return false;
  }
  return true;
}
