import assert from "node:assert/strict";
import { test } from "node:test";
import { age, bytes, milliseconds, number, shownBytes } from "../../../src/cli/quantity.ts";

test("times are seconds, or what their letter says", () => {
  const times = ["90", "90s", "1.5m", "2h", "1D"].map((text) => milliseconds("--t", text));
  assert.deepEqual(times, [90_000, 90_000, 90_000, 7_200_000, 86_400_000]);
});

test("sizes are bytes, or what their letter says", () => {
  const sizes = ["4096", "1k", "512m", "2g"].map((text) => bytes("--s", text));
  assert.deepEqual(sizes, [4_096, 1_024, 536_870_912, 2_147_483_648]);
});

test("what was not given stays undefined", () => {
  assert.deepEqual(
    [milliseconds("--t", undefined), bytes("--s", undefined), number("--n", undefined)],
    [undefined, undefined, undefined],
  );
});

test("what is no such quantity is refused by the name of its flag", () => {
  assert.throws(() => milliseconds("--timeout", "soon"), {
    message: "--timeout takes a time: 90s, 15m, 2h, 1d; not `soon`",
  });
  assert.throws(() => bytes("--memory", "2x"), {
    message: "--memory takes a size: 512m, 2g; not `2x`",
  });
  assert.throws(() => number("--pids", "-1"), { message: "--pids takes a number; not `-1`" });
});

test("bytes are shown in the unit that suits them", () => {
  const counts = [0, 1_023, 1_536, 12_582_912, 5_368_709_120];
  assert.deepEqual(counts.map(shownBytes), ["0 B", "1023 B", "1.5 KiB", "12 MiB", "5.0 GiB"]);
});

test("an age is shown in its largest unit", () => {
  const now = Date.parse("2030-01-02T00:00:00.000Z");
  const instants = ["2030-01-02T00:00:00Z", "2030-01-01T23:58:30Z", "2030-01-01T00:00:00Z"];
  assert.deepEqual(
    instants.map((instant) => age(instant, now)),
    ["0s", "1m", "1d"],
  );
});
