import { execFile } from "node:child_process";
import { basename } from "node:path";
import { promisify } from "node:util";
import { OutworkError } from "../../errors.ts";

const execute = promisify(execFile);

/**
 * Shared libraries that a program or library needs, as the host's own loader resolves them: file
 * name that it is looked up by → path on the host. The loader itself is not among them.
 */
export async function librariesOf(path: string, loader: string): Promise<Map<string, string>> {
  const { stdout } = await execute(loader, ["--list", path], { env: {} });
  const libraries = new Map<string, string>();
  for (const line of stdout.split("\n")) {
    const match = /^\s*(\S+) => (not found|\S+)/.exec(line);
    if (match === null) continue;
    const [, name = "", target = ""] = match;
    if (target === "not found") throw missing(path, name);
    if (basename(name) !== basename(loader)) libraries.set(basename(name), target);
  }
  return libraries;
}

function missing(path: string, library: string): OutworkError {
  return new OutworkError(
    "enforcement-missing",
    `${path} cannot be taken along: its library ${library} is not on this host`,
    { facts: { missing: library } },
  );
}
