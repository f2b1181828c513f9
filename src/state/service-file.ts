import { rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Instant } from "../contract/index.ts";
import { readIfThere, writePrivate } from "./files.ts";

/** Where the running service is, for local clients and for whoever finds its folder in use. */
const ServiceFile = z.object({ pid: z.int(), url: z.string(), started_at: Instant });
export type ServiceFile = z.infer<typeof ServiceFile>;

function pathIn(stateFolder: string): string {
  return join(stateFolder, "service.json");
}

export async function writeServiceFile(stateFolder: string, service: ServiceFile): Promise<void> {
  await writePrivate(pathIn(stateFolder), JSON.stringify(service));
}

/** What is written there, or null if nothing readable is. */
export async function readServiceFile(stateFolder: string): Promise<ServiceFile | null> {
  const text = await readIfThere(pathIn(stateFolder));
  try {
    return text === null ? null : ServiceFile.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

export async function removeServiceFile(stateFolder: string): Promise<void> {
  await rm(pathIn(stateFolder), { force: true });
}
