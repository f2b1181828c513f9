import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";

/** Below the `/tmp` that commands do not see, wherever `TMPDIR` points. */
const PARENT = "/tmp";

/** What one agent on this machine keeps while it runs. */
export interface MachineFolders {
  readonly root: string;
  /** Commands see it as their `/tmp`. */
  readonly tmp: string;
  readonly empty: string;
  readonly socket: string;
}

/** Makes them for our user alone. */
export function makeMachineFolders(): MachineFolders {
  const root = mkdtempSync(join(PARENT, "outwork-agent-"));
  const [tmp, empty] = [join(root, "tmp"), join(root, "empty")];
  for (const folder of [tmp, empty]) mkdirSync(folder, { mode: 0o700 });
  return { root, tmp, empty, socket: join(root, "agent.sock") };
}

/** Makes a place within the commands' `/tmp` to mount a folder of the real one on. */
export function makeMountPoint({ tmp }: MachineFolders, path: string): void {
  mkdirSync(join(tmp, path.slice(PARENT.length)), { recursive: true });
}
