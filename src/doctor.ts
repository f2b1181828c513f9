import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { stateFolder } from "./client/local-service.ts";
import type { Check } from "./core/placement.ts";
import { openDocker } from "./placements/docker/index.ts";
import { checkHost } from "./placements/embedded/check.ts";

/** How long a look may take. */
const CHECK_MS = 30_000;

/** What each placement needs, looked at now, whether a service runs or not. */
export async function placementChecks(
  variables: NodeJS.ProcessEnv,
): Promise<Readonly<Record<"embedded" | "docker", readonly Check[]>>> {
  const [embedded, docker] = await Promise.all([checkHost(stateFolder(variables)), dockerChecks()]);
  return { embedded, docker };
}

/** A placement of nobody's: it is asked, and leaves nothing. */
async function dockerChecks(): Promise<readonly Check[]> {
  const folder = await mkdtemp(join(tmpdir(), "outwork-doctor-"));
  try {
    await using placement = await openDocker({
      stateFolder: folder,
      instanceId: "doctor",
      docker: {},
      log: pino({ level: "silent" }),
    });
    return await placement.check({ signal: AbortSignal.timeout(CHECK_MS) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
