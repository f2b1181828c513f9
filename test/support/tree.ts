import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import type { Dirent } from "node:fs";
import { lstat, mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** A new folder that is removed after the test. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "outwork-test-"));
  // Folders without rights, which tests make, keep an ordinary user from removing what is in them.
  t.after(() => execFileSync("chmod", ["-R", "u+rwX", path]));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** What stands at one path of a tree, without what time and owner make of it. */
export type Node = { mode?: string; link?: string; sha256?: string; mtimeSeconds?: number };

/** Every path below a folder with its kind, in order, links not followed: one comparable value. */
export async function readTree(root: string, below = ""): Promise<Record<string, Node>> {
  const tree: Record<string, Node> = {};
  for (const entry of (await readdir(join(root, below), { withFileTypes: true })).sort(byName)) {
    const path = join(below, entry.name);
    tree[path] = await readNode(join(root, path));
    if (entry.isDirectory()) Object.assign(tree, await readTree(root, path));
  }
  return tree;
}

function byName(one: Dirent, other: Dirent): number {
  return one.name < other.name ? -1 : 1;
}

async function readNode(path: string): Promise<Node> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) return { link: await readlink(path) };
  const mode = (stats.mode & 0o7777).toString(8);
  const mtimeSeconds = Math.floor(stats.mtimeMs / 1000);
  if (stats.isDirectory()) return { mode, mtimeSeconds };
  return { mode, mtimeSeconds, sha256: sha256(await readFile(path)) };
}

export function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}
