import fc from "fast-check";
import type { Chunk, ChunkLine, Operation, Patch } from "../../../../src/patch/operation.ts";
import { trimEnd } from "../../../../src/patch/read/white-space.ts";

/** Records with a prototype, as everybody else makes them. */
const plain = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true });

/** Text of one line: no newline, and no carriage return at its end. */
const lineText = fc
  .string({
    unit: fc.constantFrom("a", "b", " ", "\t", "+", "-", "@", "*", "é", "“", "\u3000", "\r"),
  })
  .map((text) => text.replace(/\r+$/, ""));

/** A path that a header can hold: not blank, and without space at its end. */
const path = fc
  .string({ unit: fc.constantFrom("a", "B", "/", ".", " ", "-", "ü", "@"), minLength: 1 })
  .map((text) => `${text}x`);

const line: fc.Arbitrary<ChunkLine> = plain({
  kind: fc.constantFrom("context", "add", "remove"),
  text: lineText,
});

/** A header that a chunk can have: its end is trimmed when it is read. */
const header = fc.option(lineText.map(trimEnd).filter((text) => text !== ""));

const chunk: fc.Arbitrary<Chunk> = plain({
  header,
  lines: fc.array(line, { minLength: 1, maxLength: 6 }),
  final: fc.boolean(),
});

const operation: fc.Arbitrary<Operation> = fc.oneof(
  plain({ kind: fc.constant("add"), path, lines: fc.array(lineText, { maxLength: 5 }) }),
  plain({ kind: fc.constant("delete"), path }),
  plain({
    kind: fc.constant("update"),
    path,
    destination: fc.option(path),
    chunks: fc.array(chunk, { minLength: 1, maxLength: 4 }),
  }),
);

/** Any patch that can be written down. */
export const anyPatch: fc.Arbitrary<Patch> = plain({
  environment: fc.option(fc.constantFrom("env_1", "my env")),
  operations: fc.array(operation, { maxLength: 5 }),
});
