import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestDocker, specOf } from "../support/docker.ts";

test("a fit engine passes every check, and the sandbox was really tried", async (t) => {
  const { placement } = await openTestDocker();
  const checks = await placement.check({ signal: t.signal });
  assert.deepEqual(
    checks.map(({ name, ok, fix }) => [name, ok, fix]),
    [
      ["container engine", true, null],
      ["architecture", true, null],
      ["limits", true, null],
      ["seccomp", true, null],
      ["AppArmor", true, null],
      ["sandbox in a container", true, null],
    ],
  );
});

test("an engine that is away is one failed check, and the reason why nothing starts", async (t) => {
  const { signal } = t;
  const { placement } = await openTestDocker({ docker: { host: "unix:///nowhere/engine.sock" } });
  const [check, ...others] = await placement.check({ signal });
  assert.deepEqual([check?.name, check?.ok, others], ["container engine", false, []]);
  assert.match(check?.fix ?? "", /systemctl start docker/);
  const away = { code: "placement-unavailable", retryable: true, message: /nowhere/ };
  await assert.rejects(placement.launch(specOf("none"), { signal }), away);
});

test("a state folder whose sockets would have too long a path is refused by name", async () => {
  const stateFolder = `/tmp/${"x".repeat(80)}`;
  await assert.rejects(openTestDocker({ stateFolder }), {
    code: "validation-failed",
    message: /^The state folder \/tmp\/x+ is 13 bytes too long/,
  });
});
