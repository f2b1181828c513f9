import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** An empty folder by its real name, removed after the test. */
export async function scratch(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "exec-server-")));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
