import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ORDINARY_UID } from "../support/as-user.ts";
import type { Bait } from "./bait.ts";
import { baitFacts, SCRIPTS, verdictsIn } from "./inside.ts";
import type { Verdict } from "./verdict.ts";

const execute = promisify(execFile);

/** Runs the attacks that are marked for it on this very host, as an ordinary user. */
export async function bareVerdicts(bait: Bait): Promise<readonly Verdict[]> {
  const folder = await mkdtemp(join(tmpdir(), "ow-bare-"));
  try {
    const workspace = await plainWorkspace(folder);
    const facts = {
      placement: "none",
      policy: "bare",
      workspace,
      home: folder,
      ...baitFacts(bait),
    };
    const identity = process.getuid?.() === 0 ? { uid: ORDINARY_UID, gid: ORDINARY_UID } : {};
    const argv = ["-B", join(folder, "attacks/main.py"), JSON.stringify(facts)];
    const options = { ...identity, cwd: "/", env: { PATH: "/usr/bin:/bin" } };
    const { stdout } = await execute("/usr/bin/python3", argv, options);
    return verdictsIn(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function plainWorkspace(folder: string): Promise<string> {
  const workspace = join(folder, "workspace");
  await cp(SCRIPTS, join(folder, "attacks"), { recursive: true });
  for (const path of [folder, workspace, join(workspace, ".git"), join(workspace, ".git/hooks")]) {
    await mkdir(path, { recursive: true });
    await chmod(path, 0o777);
  }
  for (const name of ["HEAD", "config"]) {
    await writeFile(join(workspace, ".git", name), "x\n");
    await chmod(join(workspace, ".git", name), 0o666);
  }
  return workspace;
}
