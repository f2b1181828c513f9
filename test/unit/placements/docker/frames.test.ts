import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FrameReader, type FrameStream } from "../../../../src/placements/docker/frames.ts";
import { frame } from "../../../support/frames.ts";

/** Payload by stream, as one reader sees a sequence of chunks. */
function readAll(chunks: readonly Buffer[]): Record<FrameStream, string> & { isWhole: boolean } {
  const reader = new FrameReader();
  const seen = { stdout: "", stderr: "" };
  for (const chunk of chunks) {
    for (const { stream, bytes } of reader.read(chunk)) seen[stream] += bytes.toString("latin1");
  }
  return { ...seen, isWhole: reader.isWhole };
}

function cut(bytes: Buffer, size: number): Buffer[] {
  const count = Math.ceil(bytes.length / size);
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

const anyFrame = fc.record({
  stream: fc.constantFrom<FrameStream>("stdout", "stderr"),
  bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
});

test("DK-03: frames are read whole however they are cut, empty ones included", () => {
  const property = fc.property(
    fc.array(anyFrame, { maxLength: 8 }),
    fc.integer({ min: 1, max: 60 }),
    (frames, size) => {
      const sent = Buffer.concat(frames.map(({ stream, bytes }) => frame(stream, bytes)));
      const of = (name: FrameStream) =>
        frames.flatMap(({ stream, bytes }) => (stream === name ? bytes.toString("latin1") : []));
      assert.deepEqual(readAll(cut(sent, size)), {
        stdout: of("stdout").join(""),
        stderr: of("stderr").join(""),
        isWhole: true,
      });
    },
  );
  fc.assert(property);
});

test("OU-07: bytes that arrive with a cut header or payload are delivered, and the cut is known", () => {
  const whole = frame("stdout", Buffer.from("tail"));
  assert.deepEqual(readAll([whole.subarray(0, 5)]), { stdout: "", stderr: "", isWhole: false });
  assert.deepEqual(readAll([whole.subarray(0, 10)]), { stdout: "ta", stderr: "", isWhole: false });
});

test("DK-03: raw terminal bytes are refused, and so is a hostile length", () => {
  const notFrames = /the engine's stream is not in frames/;
  assert.throws(() => readAll([Buffer.from("$ ls -la\r\n")]), notFrames);
  assert.throws(() => readAll([Buffer.from([1, 0, 0, 0, 0x40, 0, 0, 0])]), notFrames);
  assert.throws(() => readAll([Buffer.from([1, 0, 7, 0, 0, 0, 0, 1])]), notFrames);
  assert.throws(() => readAll([Buffer.from([0, 0, 0, 0, 0, 0, 0, 1])]), notFrames);
});
