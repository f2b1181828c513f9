import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Every file, link and empty folder below a folder: bytes in latin1, `-> target`, `empty/`. */
export type Tree = Record<string, string>;

/** A new folder, its own path free of links, removed when the test ends with what is beside it. */
export async function temporaryFolder(t: { after(fn: () => Promise<void>): void }) {
  const parent = await fs.mkdtemp(join(await fs.realpath(tmpdir()), "outwork-patch-"));
  t.after(() => fs.rm(parent, { recursive: true, force: true }));
  const folder = join(parent, "cwd");
  await fs.mkdir(folder);
  return folder;
}

/** Writes text files, by relative path. A value `-> x` makes a link to x. */
export async function plant(folder: string, tree: Tree): Promise<void> {
  for (const [name, content] of Object.entries(tree)) {
    const path = join(folder, name);
    await fs.mkdir(dirname(path), { recursive: true });
    if (name.endsWith("/")) await fs.mkdir(path, { recursive: true });
    else if (content.startsWith("-> ")) await fs.symlink(content.slice(3), path);
    else await fs.writeFile(path, content);
  }
}

export async function treeOf(folder: string, prefix = ""): Promise<Tree> {
  const tree: Tree = {};
  const entries = await fs.readdir(join(folder, prefix), { withFileTypes: true }).catch(() => []);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = join(prefix, entry.name);
    const path = join(folder, name);
    if (entry.isSymbolicLink()) tree[name] = `-> ${await fs.readlink(path)}`;
    else if (entry.isDirectory()) Object.assign(tree, await folderOf(folder, name));
    else if (entry.isFile()) tree[name] = (await fs.readFile(path)).toString("latin1");
    else tree[name] = "special";
  }
  return tree;
}

async function folderOf(folder: string, name: string): Promise<Tree> {
  const tree = await treeOf(folder, name);
  return Object.keys(tree).length === 0 ? { [`${name}/`]: "empty" } : tree;
}
