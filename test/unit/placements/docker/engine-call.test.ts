import assert from "node:assert/strict";
import { test } from "node:test";
import { callEngine, EngineRefusal } from "../../../../src/placements/docker/engine-call.ts";

const never = () => new Promise<never>(() => {});

function call<T>(run: (signal: AbortSignal) => Promise<T>, signal = new AbortController().signal) {
  return callEngine({ what: "look", signal, timeoutMs: 20 }, run);
}

test("DK-05: a call that is never answered fails by its own deadline", async () => {
  await assert.rejects(call(never), {
    code: "placement-unavailable",
    message: "The container engine was asked to look and did not answer within 20 ms.",
  });
});

test("a caller that gives up gets its own reason, and the request is dropped", async () => {
  const caller = new AbortController();
  let request: AbortSignal | null = null;
  const pending = call((signal) => {
    request = signal;
    return never();
  }, caller.signal);
  caller.abort(new Error("enough"));
  await assert.rejects(pending, { message: "enough" });
  assert.equal((request as AbortSignal | null)?.aborted, true);
});

test("the signal of a call that succeeded is left alone, for the stream it may have answered", async () => {
  const caller = new AbortController();
  const signal = await call(async (own) => own, caller.signal);
  caller.abort();
  assert.equal(signal.aborted, false);
});

test("an HTTP answer is the engine's refusal, with the engine's own words", async () => {
  const answer = Object.assign(new Error("(HTTP code 409) unexpected - taken "), {
    statusCode: 409,
    json: { message: "taken" },
  });
  const refusal = new EngineRefusal(409, "taken", { cause: answer });
  await assert.rejects(
    call(() => Promise.reject(answer)),
    refusal,
  );
});

test("a connection that fails means that the engine is away", async () => {
  const broken = Object.assign(new Error("connect ENOENT /nowhere"), { code: "ENOENT" });
  await assert.rejects(
    call(() => Promise.reject(broken)),
    {
      code: "placement-unavailable",
      message: "The container engine cannot be asked to look: connect ENOENT /nowhere.",
      retryable: true,
    },
  );
});
