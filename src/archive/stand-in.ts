import type { ByteText } from "./byte-text.ts";
import type { Folder } from "./folder.ts";

/** Mode of the empty folders that a sandbox puts where a protected name is missing, while it stands. */
export const STAND_IN_MODE = 0o555;
const PERMISSIONS = 0o7777;

/** Names that stand-ins may have. */
export type StandInNames = ReadonlySet<ByteText>;

/** Whether this is a sandbox's stand-in, and so nobody's content. */
export async function isStandIn(
  folder: Folder,
  name: ByteText,
  names: StandInNames,
): Promise<boolean> {
  if (!names.has(name)) return false;
  const stats = await folder.find(name);
  if (!stats?.isDirectory() || (stats.mode & PERMISSIONS) !== STAND_IN_MODE) return false;
  await using child = await folder.child(name);
  return (await child.names().next()).done === true;
}
