import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlacementKind } from "../contract/index.ts";
import { ServiceProcess } from "./service-process.ts";
import { Signals } from "./signals.ts";

/**
 * Runs a service for one piece of work, with a state folder of its own; afterwards nothing of it is
 * left, environments included, even when the work fails or is interrupted.
 */
export async function withThrowawayService(
  placements: readonly PlacementKind[],
  work: (service: ServiceProcess) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "outwork-"));
  // Agents run as other users, who have to pass through.
  await chmod(folder, 0o711);
  const service = new ServiceProcess(folder, placements);
  const signals = new Signals();
  try {
    await Promise.race([work(service), signals.interruption]);
  } finally {
    if (service.isRunning) await removeEnvironments(service);
    await service.stop();
    await rm(folder, { recursive: true, force: true });
    signals.release();
  }
}

async function removeEnvironments(service: ServiceProcess): Promise<void> {
  await using outwork = await service.client();
  const { environments } = outwork;
  await Promise.all((await environments.list()).map(({ id }) => environments.remove(id)));
}
