/**
 * First of the user ids that environments get when the service runs as root: far above accounts and
 * the ranges that systemd and container engines hand out. @see systemd's UIDS-GIDS.md
 */
const FIRST_UID = 1_900_000_000;

/** Whom an environment's agent and commands run as. */
export interface EnvironmentUser {
  readonly uid: number;
  readonly gid: number;
}

/** Gives every environment a user of its own where the service may, else the service's user. */
export class UserPool {
  readonly #taken = new Set<number>();

  take(): EnvironmentUser {
    const own = process.getuid?.() ?? 0;
    if (own !== 0) return { uid: own, gid: process.getgid?.() ?? own };
    let uid = FIRST_UID;
    while (this.#taken.has(uid)) uid += 1;
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
  return uid >= FIRST_UID;
}
