import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findService, stateFolder } from "../../../src/client/local-service.ts";
import { temporaryFolder } from "../../support/tree.ts";

test("the state folder is the one that is named, else root's or the user's", () => {
  assert.equal(stateFolder({ OUTWORK_STATE: "/a", XDG_STATE_HOME: "/b" }), "/a");
  assert.equal(stateFolder({ OUTWORK_STATE: "", XDG_STATE_HOME: "/b" }), "/b/outwork");
  const users = join(homedir(), ".local/state/outwork");
  assert.equal(stateFolder({}), process.getuid?.() === 0 ? "/var/lib/outwork" : users);
});

test("a service that is named goes before the local one, and never gets its token", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "service.json"), '{"url":"http://127.0.0.1:1","pid":1}');
  await writeFile(join(folder, "token"), "local\n");
  const local = { OUTWORK_STATE: folder };
  assert.deepEqual(await findService({ ...local, OUTWORK_URL: "http://there" }), {
    url: "http://there",
    token: undefined,
  });
  assert.deepEqual(await findService(local), { url: "http://127.0.0.1:1", token: "local" });
  assert.deepEqual(await findService({ ...local, OUTWORK_TOKEN: "mine" }), {
    url: "http://127.0.0.1:1",
    token: "mine",
  });
});

test("a service without a token file is called without a token", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "service.json"), '{"url":"http://127.0.0.1:1"}');
  assert.deepEqual(await findService({ OUTWORK_STATE: folder }), {
    url: "http://127.0.0.1:1",
    token: undefined,
  });
});

test("no service at all is said with the places that were looked at", async (t) => {
  const folder = await temporaryFolder(t);
  await assert.rejects(findService({ OUTWORK_STATE: folder }), {
    code: "service-unreachable",
    message: `no service is known: OUTWORK_URL is not set and ${folder} has no service.json`,
  });
});
