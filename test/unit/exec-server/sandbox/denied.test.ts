import assert from "node:assert/strict";
import { test } from "node:test";
import { looksDenied } from "../../../../src/exec-server/sandbox/denied.ts";

type Chunk = { stream: "stdout" | "stderr" | "pty"; bytes: Uint8Array };

function chunks(...texts: [Chunk["stream"], string][]): Chunk[] {
  return texts.map(([stream, text]) => ({ stream, bytes: Buffer.from(text) }));
}

test("a failure that names a denial looks denied, in any case and on any stream", () => {
  assert.equal(looksDenied(1, chunks(["stderr", "sh: x: Permission denied\n"])), true);
  assert.equal(looksDenied(2, chunks(["stdout", "READ-ONLY FILE SYSTEM"])), true);
  assert.equal(looksDenied(127, chunks(["pty", "sandbox"])), true);
  assert.equal(looksDenied(1, chunks(["stderr", "plain failure"])), false);
  assert.equal(looksDenied(1, []), false);
});

test("success is no denial, whatever it prints", () => {
  assert.equal(looksDenied(0, chunks(["stderr", "permission denied"])), false);
});

test("death by the filter is a denial without words", () => {
  assert.equal(looksDenied(159, []), true);
  assert.equal(looksDenied(126, []), false);
});

test("a phrase cut by chunks is found within its stream and not across streams", () => {
  const cut = chunks(["stderr", "permission de"], ["stdout", "x"], ["stderr", "nied"]);
  assert.equal(looksDenied(1, cut), true);
  const crossed = chunks(["stderr", "permission de"], ["stdout", "nied"]);
  assert.equal(looksDenied(1, crossed), false);
});

test("50000 chunks are looked through without trouble", () => {
  const many = Array.from({ length: 50_000 }, () => ({
    stream: "stdout" as const,
    bytes: Buffer.from("x"),
  }));
  assert.equal(looksDenied(1, many), false);
});
