import { rmSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { serveAgentOverStdio } from "../../agent/stdio.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import { isBelowTmp, type Machine, machineConfig } from "./agent-config.ts";
import { makeMachineFolders, makeMountPoint } from "./folders.ts";
import { refuseRoot, refuseUnsafe } from "./refusals.ts";

/**
 * An environment that is this machine itself, for one client on two streams. Nothing of it is left
 * afterwards but what its commands wrote where they may.
 * @throws `enforcement-missing` as root, or when commands cannot be sandboxed here
 * @throws `policy-denied` a folder that may be written would undo the sandbox
 */
export async function serveMachine(
  machine: Machine,
  streams: { readonly input: Readable; readonly output: Writable },
  options: WaitOptions,
): Promise<void> {
  refuseRoot(process.getuid?.());
  const folders = makeMachineFolders();
  try {
    const config = await machineConfig(machine, folders);
    refuseUnsafe(config);
    for (const { target } of config.layout.mounts) {
      if (isBelowTmp(target)) makeMountPoint(folders, target);
    }
    await serveAgentOverStdio(config, streams, options);
  } finally {
    rmSync(folders.root, { recursive: true, force: true });
  }
}
