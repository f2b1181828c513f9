import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chown, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ORDINARY_UID } from "../support/as-user.ts";
import { ownedContainers } from "../support/docker.ts";
import { busyboxImage, localEngine } from "../support/images.ts";

const SCRIPT = fileURLToPath(new URL("../support/scripts/docker-launch.js", import.meta.url));

before(() => busyboxImage());

test("a service that is an ordinary user runs environments as that user", async (t) => {
  const stateFolder = await mkdtemp(join(tmpdir(), "outwork-"));
  t.after(() => rm(stateFolder, { recursive: true, force: true }));
  await chown(stateFolder, ORDINARY_UID, ORDINARY_UID);
  const { gid } = await stat("/var/run/docker.sock");
  const user = ["--reuid", `${ORDINARY_UID}`, "--regid", `${ORDINARY_UID}`, "--groups", `${gid}`];
  const program = [...user, process.execPath, SCRIPT, stateFolder, "testordinary"];
  const { stdout } = await promisify(execFile)("setpriv", program, { cwd: "/" });
  assert.equal(stdout, `${ORDINARY_UID}\n${ORDINARY_UID}\n`);
  assert.deepEqual(await ownedContainers(localEngine, "testordinary"), []);
});
