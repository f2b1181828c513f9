import { realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { EnvironmentSpec } from "../../contract/environment.ts";
import { OutworkError } from "../../errors.ts";
import { isWithin } from "../../policy/index.ts";
import { socketsFit } from "./folders.ts";
import { systemFolders } from "./host-folders.ts";

const OTHERS_MAY_ENTER = 0o001;

/**
 * Refuses a state folder that could not keep what it is for.
 * @throws `validation-failed` with the rule and what would do
 */
export function refuseUnfitStateFolder(stateFolder: string): void {
  if (!socketsFit(stateFolder)) {
    throw unfit(stateFolder, "has too long a path: sockets below it would pass 107 bytes");
  }
  const real = realpathSync(stateFolder);
  const shown = systemFolders().find((folder) => isWithin(real, realpathSync(folder)));
  if (shown !== undefined) {
    throw unfit(stateFolder, `lies in ${shown}, which every environment sees`);
  }
  const closed = process.getuid?.() === 0 ? closedTo(real) : null;
  if (closed !== null) {
    const why = "and as root the service gives every environment a user of its own";
    throw unfit(stateFolder, `cannot be entered by other users at ${closed}, ${why}`);
  }
}

/** The first folder from the root on that other users may not enter; null for none. */
export function closedTo(path: string): string | null {
  const above = path === "/" ? null : closedTo(dirname(path));
  if (above !== null) return above;
  return (statSync(path).mode & OTHERS_MAY_ENTER) === 0 ? path : null;
}

function unfit(stateFolder: string, why: string): OutworkError {
  return new OutworkError(
    "validation-failed",
    `The state folder ${stateFolder} ${why}. Choose another, for instance /var/lib/outwork.`,
  );
}

/** Elsewhere a writable root would be the host's own files. */
export function refuseForeignRoots({ policy, workspace, placement }: EnvironmentSpec): void {
  if (policy.files.write === "all") return;
  const own = [workspace, "/tmp", "/home/outwork"];
  const foreign = policy.files.write.find((root) => !own.some((mine) => isWithin(root, mine)));
  if (foreign === undefined) return;
  throw new OutworkError(
    "enforcement-missing",
    `policy.writable_roots: ${foreign} is a folder of the host on the ${placement} placement. Writable ` +
      `roots there lie within ${own.join(", ")}.`,
    { facts: { missing: "own-file-system", path: foreign } },
  );
}
