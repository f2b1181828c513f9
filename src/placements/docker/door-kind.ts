import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { WaitOptions } from "../../core/agent-link.ts";
import type { DoorKind, Doors } from "./doors.ts";
import type { Engine } from "./engine.ts";
import { EngineRefusal } from "./engine-call.ts";
import type { Errands } from "./errands.ts";

const TARGET = "/probe";
const PROOF = "proof";

/**
 * Finds out whether the engine can mount folders of this host: it is shown one with a secret in it and
 * must find the secret there. A distant engine says that there is no such folder, or shows its own.
 */
export async function findDoorKind(
  engine: Engine,
  errands: Errands,
  doors: Doors,
  wait: WaitOptions,
): Promise<DoorKind> {
  const door = await doors.open("folder");
  const folder = doors.folder(door);
  const secret = randomBytes(32).toString("hex");
  const Mounts = [{ Type: "bind" as const, Source: folder, Target: TARGET, ReadOnly: true }];
  const errand = {
    name: `outwork-probe-${door}`,
    what: "probe",
    options: { HostConfig: { Mounts } },
  };
  try {
    await writeFile(join(folder, PROOF), secret);
    const found = await errands.run(errand, wait, async (id) =>
      buffer(await engine.getFiles(id, `${TARGET}/${PROOF}`, wait)),
    );
    return found.includes(secret) ? "folder" : "inside";
  } catch (error) {
    if (error instanceof EngineRefusal) return "inside";
    throw error;
  } finally {
    await doors.close(door);
  }
}
