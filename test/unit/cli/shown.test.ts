import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { painter } from "../../../src/cli/colour.ts";
import type { Output } from "../../../src/cli/command.ts";
import { withProgress } from "../../../src/cli/progress.ts";
import { table } from "../../../src/cli/table.ts";
import { visible, visibleLine } from "../../../src/cli/visible.ts";

function output(isTTY: boolean): Output {
  return Object.assign(new PassThrough(), { isTTY });
}

test("a table is as wide as its widest cells", () => {
  assert.equal(
    table(
      ["ID", "STATE"],
      [
        ["a", "ready"],
        ["longer", "lost"],
      ],
    ),
    "ID      STATE\na       ready\nlonger  lost\n",
  );
});

test("control characters from elsewhere are shown and not obeyed", () => {
  assert.equal(visible("a\x1b[2Jb\x07\n\tc\x9b"), "a\\x1b[2Jb\\x07\n\tc\\x9b");
  assert.equal(visibleLine("a\nb\tc"), "a\\nb\\tc");
});

test("colours are for terminals, and not for those who do not want them", () => {
  const green = (isTTY: boolean, variables: NodeJS.ProcessEnv) =>
    painter(output(isTTY), variables)("green", "ok");
  assert.equal(green(true, {}), "\x1b[32mok\x1b[0m");
  assert.equal(green(false, {}), "ok");
  assert.equal(green(true, { NO_COLOR: "1" }), "ok");
  assert.equal(green(true, { TERM: "dumb" }), "ok");
});

test("a long wait is told on a terminal and erased when it is over", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  for (const [isTTY, expected] of [
    [true, "\r\x1b[Kwaiting … 1 s\r\x1b[Kwaiting … 2 s\r\x1b[K"],
    [false, null],
  ] as const) {
    const stderr = output(isTTY);
    let done = (_: string) => {};
    const work = new Promise<string>((resolve) => {
      done = resolve;
    });
    const waited = withProgress(stderr, () => "waiting", work);
    t.mock.timers.tick(2_500);
    done("result");
    assert.equal(await waited, "result");
    assert.equal(stderr.isTTY && (stderr as PassThrough).read()?.toString(), isTTY && expected);
  }
});

test("a short wait is not told", async () => {
  const stderr = output(true);
  await withProgress(stderr, () => "waiting", Promise.resolve());
  assert.equal((stderr as PassThrough).read(), null);
});
