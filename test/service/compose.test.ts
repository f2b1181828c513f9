import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { compose, type Service } from "../../src/compose.ts";
import { type ConfigInput, readConfig } from "../../src/config.ts";
import { FakePlacement, Substrate } from "../support/fake-placement.ts";
import { passableFolder } from "../support/passable-folder.ts";

interface Setting {
  readonly folder: string;
  readonly substrate: Substrate;
  start(overrides?: ConfigInput): Promise<Service>;
}

async function setting(t: TestContext): Promise<Setting> {
  const folder = await passableFolder("outwork-compose-");
  t.after(() => rm(folder, { recursive: true }));
  const substrate = new Substrate();
  const start = async (overrides: ConfigInput = {}) => {
    const listen = { port: 0, ...overrides.listen };
    const config = await readConfig({ flags: { state_folder: folder, ...overrides, listen } });
    const embedded = async () => new FakePlacement(substrate);
    return compose(config, { openers: { embedded }, log: pino({ level: "silent" }) });
  };
  return { folder, substrate, start };
}

async function call(url: string, token: string, method = "GET", path = "/v1/environments") {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(method === "POST" && { body: '{"id":"a"}' }),
  });
  return { status: response.status, body: (await response.json()) as { state?: object } };
}

test("a service without configured tokens makes one, and says where it is and listens", async (t) => {
  const { folder, start } = await setting(t);
  await using service = await start();
  const token = (await readFile(join(folder, "token"), "utf8")).trim();
  assert.equal(service.tokenFile, join(folder, "token"));
  assert.deepEqual(await call(service.url, token), { status: 200, body: { environments: [] } });
  assert.equal((await call(service.url, "ow_other")).status, 401);
  const { pid, url } = JSON.parse(await readFile(join(folder, "service.json"), "utf8"));
  assert.deepEqual([pid, url], [process.pid, service.url]);
});

test("configured tokens are the only ones", async (t) => {
  const { folder, start } = await setting(t);
  const sha256 = createHash("sha256").update("mine").digest("hex");
  await using service = await start({ tokens: [{ name: "ci", sha256 }] });
  assert.equal(service.tokenFile, null);
  assert.equal((await call(service.url, "mine")).status, 200);
  assert.equal((await readdir(folder)).includes("token"), false);
});

test("LC-01: the next service on the folder has the same environments and the same owner", async (t) => {
  const { folder, substrate, start } = await setting(t);
  const first = await start();
  const token = (await readFile(join(folder, "token"), "utf8")).trim();
  const owner = await readFile(join(folder, "instance.json"), "utf8");
  assert.equal((await call(first.url, token, "POST")).status, 201);
  await first[Symbol.asyncDispose]();
  assert.ok(substrate.environments.has("a"));
  assert.equal((await readdir(folder)).includes("service.json"), false);
  await using second = await start();
  const { status, body } = await call(second.url, token, "GET", "/v1/environments/a");
  assert.deepEqual([status, body.state], [200, { kind: "ready" }]);
  assert.equal(await readFile(join(folder, "instance.json"), "utf8"), owner);
});

test("LC-13: a second service on the folder does not start, and leaves the first alone", async (t) => {
  const { folder, start } = await setting(t);
  await using first = await start();
  await assert.rejects(start(), { name: "StartupError", message: new RegExp(first.url) });
  const token = (await readFile(join(folder, "token"), "utf8")).trim();
  assert.equal((await call(first.url, token)).status, 200);
});

test("listening where others can reach it needs tokens that the operator chose", async (t) => {
  const { start } = await setting(t);
  const listen = { host: "0.0.0.0" };
  await assert.rejects(start({ listen }), { name: "StartupError", message: /no tokens/ });
  const sha256 = createHash("sha256").update("mine").digest("hex");
  await using service = await start({ listen, tokens: [{ name: "ci", sha256 }] });
  assert.ok(service.url);
});

test("a port that is taken is named, and the folder is free again", async (t) => {
  const { start } = await setting(t);
  const other = createServer().listen(0, "127.0.0.1");
  t.after(() => other.close());
  await new Promise((resolve) => other.once("listening", resolve));
  const address = other.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await assert.rejects(start({ listen: { port } }), {
    name: "StartupError",
    message: new RegExp(`port ${port}: EADDRINUSE`),
  });
  await using service = await start();
  assert.ok(service.url);
});

test("a placement that cannot be opened is the reason, and the folder is free again", async (t) => {
  const { folder, start } = await setting(t);
  const config = await readConfig({ flags: { state_folder: folder, listen: { port: 0 } } });
  const missing = new Error("no bubblewrap");
  const openers = { embedded: () => Promise.reject(missing) };
  await assert.rejects(compose(config, { openers, log: pino({ level: "silent" }) }), missing);
  await using service = await start();
  assert.ok(service.url);
});
