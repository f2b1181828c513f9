import { isLoopback } from "../service/loopback.ts";

/** One `[[environments]]` of Codex's `environments.toml`, by that file's own names. */
export type CodexEnvironment = { readonly id: string } & (
  | { readonly url: string; readonly auth_bearer_token?: string }
  | { readonly program: string; readonly args: readonly string[] }
);

/** All of that file. */
export interface CodexEnvironments {
  readonly include_local: boolean;
  readonly default: string;
  readonly environments: readonly CodexEnvironment[];
}

/**
 * An environment that Codex connects to. It sends a token in a header over TLS and on loopback only;
 * elsewhere the URL has to carry it.
 */
export function byUrl(id: string, url: URL, token: string | undefined): CodexEnvironment {
  if (token === undefined) return { id, url: url.href };
  if (url.protocol === "wss:" || isLoopback(url.hostname)) {
    return { id, url: url.href, auth_bearer_token: token };
  }
  const withToken = new URL(url);
  withToken.searchParams.set("token", token);
  return { id, url: withToken.href };
}

/** The file's text, below some lines of comment. */
export function environmentsToml(comment: readonly string[], file: CodexEnvironments): string {
  const { environments, ...top } = file;
  const blocks = environments.map((one) => ["[[environments]]", ...assignments(one)]);
  const head = [...comment.map((line) => `# ${line}`), ...assignments(top)];
  return [head, ...blocks].map((lines) => `${lines.join("\n")}\n`).join("\n");
}

function assignments(members: object): string[] {
  return Object.entries(members).map(([name, value]) => `${name} = ${tomlValue(value)}`);
}

/** What JSON says of strings, booleans and lists of strings is TOML too, but for one character. */
function tomlValue(value: unknown): string {
  return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
}
