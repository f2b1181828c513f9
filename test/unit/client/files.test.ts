import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { createTar } from "../../../src/archive/create.ts";
import { Outwork } from "../../../src/client/outwork.ts";
import { CuttingProxy } from "../../support/cutting-proxy.ts";
import { FakeService } from "../../support/fake-service.ts";
import { readTree, temporaryFolder } from "../../support/tree.ts";

async function serviceWithFiles(t: TestContext) {
  const files = await temporaryFolder(t);
  await mkdir(join(files, "workspace"));
  await writeFile(join(files, "workspace", "large"), "x".repeat(1_000_000));
  const service = await FakeService.open({ files });
  service.add("env_1");
  t.after(() => service[Symbol.asyncDispose]());
  return { files, service };
}

test("what is downloaded can be uploaded again", async (t) => {
  const { files, service } = await serviceWithFiles(t);
  await using outwork = new Outwork({ url: service.url });
  const environment = outwork.environment("env_1");
  const result = await environment.upload("/copy", await environment.download("/workspace"));
  assert.equal(result.entries, 1);
  assert.deepEqual(await readTree(join(files, "copy")), await readTree(join(files, "workspace")));
});

test("a download that breaks off is an error and not an end", async (t) => {
  const { service } = await serviceWithFiles(t);
  const cut = { direction: "down", atByte: 500_000 } as const;
  await using proxy = await CuttingProxy.open(service.port, [cut]);
  await using outwork = new Outwork({ url: proxy.url });
  const tar = await outwork.environment("env_1").download("/workspace");
  await assert.rejects(buffer(tar), { code: "service-unreachable" });
});

test("an upload that breaks off may have happened in part, and says so", async (t) => {
  const { files, service } = await serviceWithFiles(t);
  await using proxy = await CuttingProxy.open(service.port, [{ direction: "up", atByte: 9_000 }]);
  await using outwork = new Outwork({ url: proxy.url });
  const upload = outwork.environment("env_1").upload("/copy", createTar(join(files, "workspace")));
  await assert.rejects(upload, { code: "outcome-unknown" });
});

test("an upload whose source fails, fails with the source's own error", async (t) => {
  const { service } = await serviceWithFiles(t);
  await using outwork = new Outwork({ url: service.url });
  async function* failing() {
    yield Buffer.alloc(512);
    throw new RangeError("the disk is on fire");
  }
  await assert.rejects(outwork.environment("env_1").upload("/copy", failing()), {
    name: "RangeError",
    message: "the disk is on fire",
  });
});

test("a path that is not there is a problem and not a stream", async (t) => {
  const { service } = await serviceWithFiles(t);
  await using outwork = new Outwork({ url: service.url });
  await assert.rejects(outwork.environment("env_1").download("/none"), { code: "path-not-found" });
});

test("an answer that is not Outwork's is named as such, and tried again when it may pass", async (t) => {
  const statuses = [502, 404];
  const server = createServer((_, response) => {
    response.writeHead(statuses.shift() ?? 500, { "content-type": "text/html" });
    response.end("<h1>proxy</h1>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  await using outwork = new Outwork({ url: `http://127.0.0.1:${port}` });
  await assert.rejects(outwork.environments.list(), {
    code: "internal",
    message: "GET /v1/environments was answered 404 by something that is not Outwork",
    facts: { http_status: 404 },
  });
  assert.deepEqual(statuses, []);
});
