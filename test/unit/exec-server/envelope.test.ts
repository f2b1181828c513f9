import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  errorMessage,
  idOfOversized,
  MalformedMessageError,
  readEnvelope,
  resultMessage,
} from "../../../src/exec-server/envelope.ts";

test("messages are told apart by their members, in a fixed order", () => {
  const kinds = {
    '{"id":1,"method":"a","params":null}': { kind: "request", id: 1n, method: "a", params: null },
    '{"method":"a"}': { kind: "notification", method: "a", params: null },
    '{"id":"x","result":{}}': { kind: "response", id: "x" },
    '{"id":2,"error":{"code":1,"message":"m"}}': { kind: "error", id: 2n },
    '{"id":3,"method":"a","result":{}}': { kind: "request", id: 3n, method: "a", params: null },
  };
  const read = Object.keys(kinds).map((text) => [text, readEnvelope(text)]);
  assert.deepEqual(Object.fromEntries(read), kinds);
});

test("every id of 64 bits, and every string, comes back as it went in", () => {
  const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(fc.oneof(integers, fc.string({ unit: "grapheme" })), (id) => {
      const literal = typeof id === "bigint" ? String(id) : JSON.stringify(id);
      const envelope = readEnvelope(`{"id":${literal},"method":"a"}`);
      assert.equal(envelope.kind, "request");
      assert.ok(envelope.kind === "request");
      assert.equal(resultMessage(envelope.id, {}), `{"id":${literal},"result":{}}`);
    }),
  );
});

test("ids that cannot be answered are malformed", () => {
  const ids = ["null", "1.5", "1.0", "1e2", "9223372036854775808", "[]", `"${"x".repeat(2000)}"`];
  for (const id of ids) {
    assert.throws(
      () => readEnvelope(`{"id":${id},"method":"a"}`),
      new MalformedMessageError("data did not match any variant of untagged enum RequestId"),
    );
  }
});

test("a malformed trace spoils a request and not a notification", () => {
  assert.throws(() => readEnvelope('{"id":1,"method":"a","trace":"x"}'), MalformedMessageError);
  assert.equal(readEnvelope('{"method":"a","trace":"x"}').kind, "notification");
});

test("errors leave out data that is not there", () => {
  assert.equal(
    errorMessage(-1n, { code: -32600, message: "m" }),
    '{"error":{"code":-32600,"message":"m"},"id":-1}',
  );
});

test("the id of a message too large to read is found near its start", () => {
  assert.equal(idOfOversized('{"id":7,"method":"fs/writeFile","params":{"da'), 7n);
  assert.equal(idOfOversized('{ "id" : "seven" , "meth'), "seven");
  assert.equal(idOfOversized('{"method":"x","id":7,'), null);
  assert.equal(idOfOversized('{"id":123'), null);
});
