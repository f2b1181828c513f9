import { readFileSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { OutworkError, systemCode } from "../../errors.ts";
import type { EnvironmentFolders } from "./folders.ts";
import { startTicks } from "./host-processes.ts";
import type { EnvironmentUser } from "./users.ts";

/** How a folder begins that has no name yet. No environment id begins so. */
export const DRAFT_PREFIX = ".draft-";
const CLAIM = "claim.json";
/** What rename(2) says when the name is taken. */
const TAKEN = ["ENOTEMPTY", "EEXIST", "ENOTDIR"];

/** Says whose an environment's folder is: nothing without one is ever touched. */
const Claim = z.object({
  owner: z.string(),
  uid: z.int(),
  gid: z.int(),
  /** The service that launched it. */
  service: z.object({ pid: z.int(), start_ticks: z.string() }),
});
export type Claim = z.infer<typeof Claim>;

/**
 * Takes an environment's folder. It gets its name complete with its claim, so whoever is cut off at any
 * moment leaves nothing that could be anybody's.
 * @throws `environment-conflict` the name is taken, by whatever
 */
export async function claimFolder(
  { root }: EnvironmentFolders,
  owner: string,
  user: EnvironmentUser,
): Promise<void> {
  const service = { pid: process.pid, start_ticks: startTicks(process.pid) ?? "" };
  const claim: Claim = { owner, ...user, service };
  const draft = await mkdtemp(join(dirname(root), DRAFT_PREFIX));
  try {
    await writeFile(join(draft, CLAIM), JSON.stringify(claim), { mode: 0o600 });
    await rename(draft, root);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!TAKEN.includes(systemCode(error) ?? "")) throw error;
    throw new OutworkError(
      "environment-conflict",
      `${root} exists already, and is not an environment of this service. Remove it, or choose another id.`,
      { cause: error },
    );
  }
}

/** Whether the service that made the claim still runs, and so may be at it. */
export function isHeld({ service }: Claim): boolean {
  return startTicks(service.pid) === service.start_ticks;
}

/** The claim in a folder; null when there is none that we could read. */
export function claimIn(folder: string): Claim | null {
  try {
    return Claim.parse(JSON.parse(readFileSync(join(folder, CLAIM), "utf8")));
  } catch {
    return null;
  }
}
