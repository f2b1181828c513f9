import type { PatchChange } from "../../contract/patch.ts";
import type { FileStat } from "../files/port.ts";

const SPECIAL_BITS = [
  ["setuid", 0o4000],
  ["setgid", 0o2000],
  ["sticky", 0o1000],
] as const;

/** What a file that took the place of another did not take over from it. */
export function lost(old: FileStat, now: FileStat): PatchChange["not_kept"] {
  const special = SPECIAL_BITS.filter(
    ([, bit]) => (old.mode & bit) !== 0 && (now.mode & bit) === 0,
  );
  return [
    ...((old.mode & 0o777) === (now.mode & 0o777) ? [] : (["mode"] as const)),
    ...special.map(([name]) => name),
    ...(old.uid === now.uid && old.gid === now.gid ? [] : (["owner"] as const)),
    ...(old.links > 1 ? (["hard-links"] as const) : []),
  ];
}
