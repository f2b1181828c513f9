import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentConfig, Layout } from "../contract/agent.ts";

/**
 * Gives the commands' user a name, so that `whoami`, git and ssh work in any image: copies of
 * `/etc/passwd` and `/etc/group` with one more line, to be mounted over the originals. Where an image
 * has no such file there is nothing to mount on, and nothing is.
 */
export function nameUser(config: AgentConfig): Layout {
  const { user, uid, gid, home } = config;
  const folder = join(dirname(config.socket), "etc");
  mkdirSync(folder, { recursive: true });
  const mounts = [
    named(folder, "passwd", user, uid, `${user}:x:${uid}:${gid}:Outwork:${home}:${shell()}`),
    named(folder, "group", user, gid, `${user}:x:${gid}:`),
  ].flatMap((mount) => mount ?? []);
  const { layout } = config;
  return { ...layout, mounts: [...layout.mounts, ...mounts] };
}

function named(folder: string, file: string, user: string, id: number, line: string) {
  const target = `/etc/${file}`;
  const original = readOptional(target);
  if (original === null) return null;
  const others = original
    .split("\n")
    .filter((entry) => entry !== "" && !isTaken(entry.split(":"), user, id));
  const source = join(folder, file);
  writeFileSync(source, `${[...others, line].join("\n")}\n`);
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
