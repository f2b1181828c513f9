import assert from "node:assert/strict";
import { test } from "node:test";
import { openService } from "../support/service.ts";

const recovered = {
  placement: "embedded",
  name: "recovered",
  ok: true,
  found: "its environments are known",
  fix: null,
};

test("ready: every check of every placement", async (t) => {
  const { send } = await openService(t);
  const { status, body } = await send({ method: "GET", url: "/readyz" });
  const fake = { placement: "embedded", name: "fake", ok: true, found: "a fake", fix: null };
  assert.deepEqual([status, body], [200, { checks: [fake, recovered] }]);
});

test("not ready: 503 with the failing checks and what to do", async (t) => {
  const { send, substrate } = await openService(t);
  const missing = { name: "bubblewrap", ok: false, found: "none", fix: "apt install bubblewrap" };
  substrate.checks = [{ name: "kernel", ok: true, found: "6.1", fix: null }, missing];
  const { status, body } = await send({ method: "GET", url: "/readyz" });
  const { type, checks, retryable } = body;
  assert.deepEqual(
    { status, type, checks, retryable },
    {
      status: 503,
      type: "urn:outwork:placement-unavailable",
      checks: [{ placement: "embedded", ...missing }],
      retryable: true,
    },
  );
  assert.equal((await send({ method: "GET", url: "/livez" })).status, 200);
});

test("anyone may ask, so many who ask at once are answered from one look", async (t) => {
  const { send, substrate } = await openService(t);
  let looks = 0;
  Object.defineProperty(substrate, "checks", {
    get() {
      looks += 1;
      return [];
    },
  });
  await Promise.all(Array.from({ length: 20 }, () => send({ method: "GET", url: "/readyz" })));
  assert.equal(looks, 1);
});
