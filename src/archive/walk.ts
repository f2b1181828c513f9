import type { Stats } from "node:fs";
import type { ByteText } from "./byte-text.ts";
import { entryPath } from "./entry-path.ts";
import type { Folder } from "./folder.ts";
import { unlessGone } from "./gone.ts";
import { explained } from "./refusal.ts";
import { isStandIn, type StandInNames } from "./stand-in.ts";

/** proc, sysfs, cgroup, cgroup2, debugfs and tracefs show the kernel. @see statfs(2) */
const KERNEL_VIEWS = new Set([
  0x9fa0, 0x6265_6572, 0x27_e0eb, 0x6367_7270, 0x6462_6720, 0x7472_6163,
]);

export type Found = {
  /** Open for as long as the walk stands at this entry. */
  readonly folder: Folder;
  readonly name: ByteText;
  /** From the start of the walk, beginning with `./`. */
  readonly path: ByteText;
  readonly stats: Stats;
};

/**
 * Everything below a folder, each folder before its content, links not followed. Views of the kernel
 * that are mounted below it stay empty.
 * @throws `archive-refused` for what lies too deep or has too long a path to be unpacked again
 */
export async function* walk(
  folder: Folder,
  standIns: StandInNames,
  prefix: ByteText = "./",
): AsyncGenerator<Found> {
  const { dev } = await folder.stat();
  for await (const name of folder.names()) {
    const path = prefix + name;
    entryPath(path);
    const stats = await folder.find(name);
    if (stats === undefined || (await isStandIn(folder, name, standIns))) continue;
    const found = { folder, name, path, stats };
    yield found;
    if (stats.isDirectory()) yield* inside(found, standIns, dev);
  }
}

async function* inside(
  found: Found,
  standIns: StandInNames,
  parentDevice: number,
): AsyncGenerator<Found> {
  await using child = await openChild(found);
  if (child === null) return;
  const mounted = found.stats.dev !== parentDevice;
  if (mounted && KERNEL_VIEWS.has(await child.fileSystemType())) return;
  yield* walk(child, standIns, `${found.path}/`);
}

async function openChild({ folder, name, path }: Found): Promise<Folder | null> {
  try {
    return await unlessGone(folder.child(name));
  } catch (error) {
    throw explained(error, path);
  }
}
