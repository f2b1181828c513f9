import assert from "node:assert/strict";
import { test } from "node:test";
import { dialOptions } from "../../../../src/placements/docker/address.ts";

function dialled(host?: string) {
  const {
    protocol,
    socketPath,
    host: name,
    port,
  } = dialOptions(host === undefined ? {} : { host });
  return { protocol, socketPath, name, port };
}

test("an engine is at a Unix socket or at a TCP address", () => {
  const unix = { protocol: "http", name: undefined, port: undefined };
  assert.deepEqual(dialled(), { ...unix, socketPath: "/var/run/docker.sock" });
  assert.deepEqual(dialled("unix:///run/podman.sock"), { ...unix, socketPath: "/run/podman.sock" });
  const tcp = { protocol: "http", socketPath: undefined };
  assert.deepEqual(dialled("tcp://10.0.0.1:4243"), { ...tcp, name: "10.0.0.1", port: "4243" });
  assert.deepEqual(dialled("tcp://engine"), { ...tcp, name: "engine", port: "2375" });
});

test("an address of another form is refused, whatever it hides", () => {
  for (const host of ["engine:2375", "ssh://engine", "tcp://", "tcp://a/b", "http://engine", ""]) {
    assert.throws(() => dialled(host), { code: "validation-failed" }, host);
  }
});

test("nothing is taken from the environment of the process", (t) => {
  process.env.DOCKER_HOST = "tcp://elsewhere:1";
  t.after(() => {
    delete process.env.DOCKER_HOST;
  });
  assert.equal("host" in dialOptions({}), true);
  assert.equal(dialled().name, undefined);
});
