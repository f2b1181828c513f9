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

/** The area of what every placement needs. */
const HOST = "host";

/** The oldest Node that Outwork runs on. */
const OLDEST_NODE = [20, 19] as const;

/** What this machine has for environments: what all need, then each placement's own. */
export async function machineChecks(variables: NodeJS.ProcessEnv): Promise<readonly DoctorCheck[]> {
  // Server code: the other commands start faster without it.
  const { placementChecks } = await import("../doctor.ts");
  const placements = Object.entries(await placementChecks(variables));
  return [
    nodeCheck(process.versions.node),
    platformCheck(process.platform),
    ...placements.flatMap(([area, checks]) => checks.map((check) => ({ area, ...check }))),
  ];
}

/** Whether environments can run here at all: one placement that lacks nothing is enough. */
export function canRun(checks: readonly DoctorCheck[]): boolean {
  const lacking = new Set(checks.filter(({ ok }) => !ok).map(({ area }) => area));
  return !lacking.has(HOST) && checks.some(({ area }) => area !== HOST && !lacking.has(area));
}

export function nodeCheck(version: string): DoctorCheck {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  const ok = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  const fix = ok ? null : `Install Node ${OLDEST_NODE.join(".")} or newer.`;
  return { area: HOST, name: "Node", ok, found: version, fix };
}

export function platformCheck(platform: string): DoctorCheck {
  const ok = platform === "linux";
  const fix = ok ? null : "Run the service on Linux; the command line may stay where it is.";
  return { area: HOST, name: "system", ok, found: platform, fix };
}
