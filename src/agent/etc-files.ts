import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentConfig, Layout } from "../contract/agent.ts";
import { COMMAND_BIN_FOLDER } from "../contract/constants.ts";

type Mount = Layout["mounts"][number];

/** Keeps our programs findable in login shells, whose start-up files set `PATH` anew. */
const PROFILE_LINE = `case ":$PATH:" in *":${COMMAND_BIN_FOLDER}:"*) ;; *) PATH="${COMMAND_BIN_FOLDER}:$PATH" ;; esac`;

/**
 * Copies of three files of `/etc`, each with a line more, to be mounted over the originals: the
 * commands' user gets a name, so that `whoami`, git and ssh work in any image, and login shells keep
 * our programs in `PATH`. Where an image has no such file there is nothing to mount on, and nothing is.
 */
export function withEtcFiles(config: AgentConfig): Layout {
  const { user, uid, gid, home, layout } = config;
  const folder = join(dirname(config.socket), "etc");
  mkdirSync(folder, { recursive: true });
  const isOther = (entry: string) => !isTaken(entry.split(":"), user, uid);
  const account = `${user}:x:${uid}:${gid}:Outwork:${home}:${shell()}`;
  const mounts = [
    extended(folder, "passwd", isOther, account),
    extended(folder, "group", isOther, `${user}:x:${gid}:`),
    extended(folder, "profile", () => true, PROFILE_LINE),
  ].flatMap((mount) => mount ?? []);
  return { ...layout, mounts: [...layout.mounts, ...mounts] };
}

function extended(
  folder: string,
  name: string,
  keep: (entry: string) => boolean,
  line: string,
): Mount | null {
  const target = `/etc/${name}`;
  const original = readOptional(target);
  if (original === null) return null;
  const source = join(folder, name);
  writeFileSync(source, `${[...original.trimEnd().split("\n").filter(keep), line].join("\n")}\n`);
  return { source, target, writable: false };
}

function isTaken([name, , number]: readonly string[], user: string, id: number): boolean {
  return name === user || number === String(id);
}

function shell(): string {
  return readOptional("/etc/shells")?.includes("/bin/bash") ? "/bin/bash" : "/bin/sh";
}

function readOptional(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
