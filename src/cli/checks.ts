/** One thing that was looked at. */
export interface DoctorCheck {
  /** What needs it: `host` for everything, else a placement. */
  readonly area: string;
  readonly name: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do about it; null when ok. */
  readonly fix: string | null;
}

/** The oldest Node that Outwork runs on. */
const OLDEST_NODE = [20, 19] as const;

/** What every placement needs of this machine. */
export async function hostChecks(): Promise<readonly DoctorCheck[]> {
  return [nodeCheck(process.versions.node), platformCheck(process.platform)];
}

export function nodeCheck(version: string): DoctorCheck {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const ok = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  const fix = ok ? null : `Install Node ${OLDEST_NODE.join(".")} or newer.`;
  return { area: "host", name: "Node", ok, found: version, fix };
}

export function platformCheck(platform: string): DoctorCheck {
  const ok = platform === "linux";
  const fix = ok ? null : "Run the service on Linux; the command line may stay where it is.";
  return { area: "host", name: "system", ok, found: platform, fix };
}
