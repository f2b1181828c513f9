import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before } from "node:test";
import { promisify } from "node:util";

/** Where no preset lets commands write, and everybody may look. */
const PARENT = "/var/tmp";
const PARTS = ["dist", "node_modules", "package.json", "policies"];

/**
 * A copy of the built package for the tests of one file, as an installation has it: the checkout may
 * lie where commands write, or where other users cannot go. Gives the command line's main file.
 */
export function installed(): { main(): string } {
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(PARENT, "outwork-installed-"));
    await chmod(folder, 0o755);
    await promisify(execFile)("cp", ["-R", "-L", ...PARTS, folder]);
  });
  after(() => rm(folder, { recursive: true, force: true }));
  return { main: () => join(folder, "dist/src/cli/main.js") };
}
