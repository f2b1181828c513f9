import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { OutworkError } from "../../errors.ts";

/** Where distributions put programs. A caller's `PATH` is never asked: it may be anyone's. */
const SYSTEM_FOLDERS = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** Programs of the service's host, by absolute path. */
export interface HostPrograms {
  readonly bwrap: string;
  readonly setsid: string;
  /** Offered to commands where the host has it. */
  readonly rg: string | null;
}

/**
 * Finds the programs that every placement needs.
 * @throws `enforcement-missing` naming the program and the package that has it
 */
export async function locatePrograms(): Promise<HostPrograms> {
  const [bwrap, setsid, rg] = await Promise.all([
    required("bwrap", "bubblewrap"),
    required("setsid", "util-linux"),
    locate("rg"),
  ]);
  return { bwrap, setsid, rg };
}

async function required(program: string, distributionPackage: string): Promise<string> {
  const path = await locate(program);
  if (path !== null) return path;
  throw new OutworkError(
    "enforcement-missing",
    `${program} is not in ${SYSTEM_FOLDERS.join(", ")}: install the package ${distributionPackage}`,
    { facts: { missing: program } },
  );
}

async function locate(program: string): Promise<string | null> {
  for (const folder of SYSTEM_FOLDERS) {
    const path = join(folder, program);
    if (await isExecutable(path)) return path;
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
