import { join } from "node:path";
import { type Fixture, patchIn, recordedTree } from "../unit/patch/support/fixture.ts";
import type { Tree } from "../unit/patch/support/tree.ts";
import type { Entry, NewEntry } from "./placement-archive.ts";

/** Where the runs of one front door are laid out in an environment. */
export const runFolder = (door: string, { name }: Fixture): string => `/workspace/${door}/${name}`;

/** Each run's input in a folder `cwd`, the patch beside it. */
export async function laidOut(door: string, runs: readonly Fixture[]): Promise<NewEntry[]> {
  const entries = await Promise.all(
    runs.map((run) => laidOutRun(`${door}/${run.name}`, door, run)),
  );
  return entries.flat();
}

async function laidOutRun(base: string, door: string, run: Fixture): Promise<NewEntry[]> {
  const patch = patchIn(run, `${runFolder(door, run)}/cwd`);
  return [
    { name: `${base}/cwd`, type: "directory" },
    { name: `${base}/patch`, content: patch },
    ...entriesOf(`${base}/cwd`, await recordedTree(run, "input")),
  ];
}

function entriesOf(base: string, tree: Tree): NewEntry[] {
  return Object.entries(tree).map(([path, content]): NewEntry => {
    const name = join(base, path);
    if (path.endsWith("/")) return { name, type: "directory" };
    if (content.startsWith("-> ")) return { name, type: "symlink", linkname: content.slice(3) };
    return { name, content: Buffer.from(content, "latin1") };
  });
}

/** What a run left, by its folder: the tree of `cwd`, and the files beside it. */
export function leftBy(entries: readonly Entry[], folder: string): { cwd: Tree; beside: Tree } {
  const paths = new Set(entries.map(({ name }) => name));
  const cwd: Tree = {};
  const beside: Tree = {};
  for (const entry of entries) {
    if (!entry.name.startsWith(`${folder}/`)) continue;
    const path = entry.name.slice(folder.length + 1);
    if (path === "" || path === "cwd/") continue;
    if (path.startsWith("cwd/")) Object.assign(cwd, treeEntry(path.slice(4), entry, paths));
    else beside[path] = entry.content ?? "";
  }
  return { cwd, beside };
}

/** Folders count only when there is nothing in them. */
function treeEntry(path: string, entry: Entry, paths: ReadonlySet<string>): Tree {
  if (entry.type === "symlink") return { [path]: `-> ${entry.linkname}` };
  if (entry.type !== "directory") return { [path]: entry.content ?? "" };
  const isEmpty = ![...paths].some((other) => other !== entry.name && other.startsWith(entry.name));
  return isEmpty ? { [path]: "empty" } : {};
}
