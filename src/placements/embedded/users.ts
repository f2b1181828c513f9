import { randomInt } from "node:crypto";
import { processesOf } from "./host-processes.ts";

/**
 * User ids that environments get when the service runs as root: a range that neither accounts nor
 * systemd and container engines hand out. @see systemd's UIDS-GIDS.md
 */
const FIRST_UID = 1_900_000_000;
const END_UID = 2_140_000_000;

/** Whom an environment's agent and commands run as. */
export interface EnvironmentUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Gives every environment a user of its own where the service may, else the service's user. Drawn at
 * random and looked for among the host's processes, since other services draw from the same range, and
 * what runs as an environment's user is killed with it.
 */
export class UserPool {
  readonly #taken = new Set<number>();

  take(): EnvironmentUser {
    const own = process.getuid?.() ?? 0;
    if (own !== 0) return { uid: own, gid: process.getgid?.() ?? own };
    let uid: number;
    do uid = randomInt(FIRST_UID, END_UID);
    while (this.#taken.has(uid) || processesOf(uid).length > 0);
    this.#taken.add(uid);
    return { uid, gid: uid };
  }

  /** Marks a user as taken by an environment that was recovered. */
  claim({ uid }: EnvironmentUser): void {
    this.#taken.add(uid);
  }

  free({ uid }: EnvironmentUser): void {
    this.#taken.delete(uid);
  }
}

/** True when the user serves one environment only, so that its processes can be told by it. */
export function isOwnUser({ uid }: EnvironmentUser): boolean {
  return uid >= FIRST_UID && uid < END_UID;
}
