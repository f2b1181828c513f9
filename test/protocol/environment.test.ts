import assert from "node:assert/strict";
import { test } from "node:test";
import { openFixture } from "../support/exec-server/fixture.ts";

test("ES-01, ES-07: the handshake and environment/info say the same of the executor", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.connect();
  const { environmentInfo } = await client.result("initialize", { clientName: "test" });
  client.notify("initialized");
  const info = {
    shell: { name: "bash", path: "/bin/bash" },
    executorVersion: "0.171.0",
    cwd: `file://${fixture.root}`,
    userHomeDir: `file://${fixture.root}`,
    platformOs: "linux",
    temporaryDirectories: [],
    tempDir: "file:///tmp",
    capabilities: {
      environmentConfigRead: true,
      fileWriteStreaming: true,
      fsWatchMissing: true,
      httpHeaderEnvVars: true,
      sandboxedFileStreaming: true,
    },
    limits: { messageBytes: 67_108_864, readFileBytes: 50_330_624 },
  };
  assert.deepEqual(environmentInfo, info);
  for (const params of [undefined, null, {}]) {
    assert.deepEqual(await client.result("environment/info", params), info);
    assert.deepEqual(await client.result("environment/status", params), { status: "ready" });
  }
});

test("no configuration of a client lives here", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const cwd = `file://${fixture.root}`;
  const read = (configPaths: unknown, requirementsPaths: unknown) =>
    client.call("environmentConfig/read", { cwd, configPaths, requirementsPaths });
  const nothing = { layers: [], cloudInsertionIndex: 0 };
  assert.deepEqual(await read([["mcp_servers"]], [["mcp_servers"]]), {
    result: {
      userHomeDir: cwd,
      codexHomeDir: `${cwd}/.codex`,
      hostname: "fixture",
      config: nothing,
      requirements: nothing,
    },
  });
  assert.deepEqual(await read([], []), {
    error: { code: -32602, message: "at least one config or requirements path is required" },
  });
  assert.deepEqual(await read([[]], []), {
    error: { code: -32602, message: "TOML paths must contain at least one key segment" },
  });
});

test("methods of features that are not announced are unknown", async (t) => {
  const client = await (await openFixture(t)).ready();
  const { capabilities } = (await client.result("environment/info")) as { capabilities: object };
  assert.equal("capabilityDiscoveryV2" in capabilities, false);
  assert.deepEqual(await client.error("capabilities/discoverV2", {}), {
    code: -32601,
    message: "exec-server stub does not implement `capabilities/discoverV2` yet",
  });
});
