import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type ConfigInput, readConfig } from "../../src/config.ts";

async function fileWith(t: TestContext, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "outwork-config-"));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "outwork.json"), text);
  return join(folder, "outwork.json");
}

test("without a word from the operator, it is the embedded placement on loopback", async () => {
  assert.deepEqual(await readConfig({ flags: { state_folder: "/var/lib/outwork" } }), {
    listen: { host: "127.0.0.1", port: 7410 },
    state_folder: "/var/lib/outwork",
    placements: {
      embedded: { ceiling: { presets: ["read-only", "workspace-write"], network: "on" } },
    },
    default_placement: "embedded",
    tokens: [],
    allowed_origins: [],
    log_level: "info",
  });
});

test("the state folder is where local clients look for it", async (t) => {
  const { XDG_STATE_HOME, OUTWORK_STATE } = process.env;
  t.after(() => Object.assign(process.env, { XDG_STATE_HOME, OUTWORK_STATE }));
  delete process.env.OUTWORK_STATE;
  process.env.XDG_STATE_HOME = "/somewhere";
  assert.equal((await readConfig({})).state_folder, "/somewhere/outwork");
});

test("flags go before the file, member by member", async (t) => {
  const file = await fileWith(t, '{"listen":{"host":"::1","port":1},"log_level":"warn"}');
  const config = await readConfig({ file, flags: { listen: { port: 2 } } });
  assert.deepEqual([config.listen, config.log_level], [{ host: "::1", port: 2 }, "warn"]);
});

test("docker alone makes docker the default", async () => {
  const config = await readConfig({ flags: { placements: { docker: {} } } });
  assert.equal(config.default_placement, "docker");
});

const WRONG: Record<string, [object, RegExp]> = {
  "an unknown member": [{ port: 1 }, /port/],
  "an unknown member of a placement": [{ placements: { embedded: { image: "x" } } }, /image/],
  "no placement": [{ placements: {} }, /at least one placement/],
  "a default that is not set up": [{ default_placement: "docker" }, /must be one of/],
  "a token in clear": [{ tokens: [{ name: "ci", sha256: "ow_secret" }] }, /64 hex digits/],
  "an origin with a path": [{ allowed_origins: ["https://a.example/x"] }, /an origin such as/],
  "any origin": [{ allowed_origins: ["*"] }, /an origin such as/],
  "a relative state folder": [{ state_folder: "state" }, /absolute path/],
  "an unknown preset in a ceiling": [
    { placements: { embedded: { ceiling: { presets: ["all"] } } } },
    /presets/,
  ],
};

for (const [what, [written, message]] of Object.entries(WRONG)) {
  test(`LC-15: ${what} is refused by name`, async () => {
    const refused = { name: "StartupError", message };
    await assert.rejects(readConfig({ flags: written as ConfigInput }), refused);
  });
}

test("a file that is missing or is not JSON is named", async (t) => {
  const file = await fileWith(t, "{");
  await assert.rejects(readConfig({ file }), { name: "StartupError", message: /outwork\.json/ });
  await assert.rejects(readConfig({ file: "/nowhere.json" }), { message: /nowhere\.json.*ENOENT/ });
});
