import assert from "node:assert/strict";
import { test } from "node:test";
import { makeLog } from "../../src/log.ts";

test("a token that reaches the log by accident is struck out", () => {
  const lines: string[] = [];
  const log = makeLog("info", { write: (line: string) => lines.push(line) });
  const token = `ow_${"x".repeat(43)}`;
  log.info({ url: `/a?x=1&token=${token}&y=2` }, "a URL");
  log.info({ headers: { authorization: `Bearer ${token}` } }, "headers");
  log.info({ req: { headers: { authorization: token } } }, "a request");
  log.error({ err: new Error(`refused Bearer ${token}`) }, "an error");
  log.info({ odd: `["?token=other"]` }, `in the text: ${token}`);
  const text = lines.join("");
  assert.doesNotMatch(text, /ow_x|other/);
  assert.match(text, /x=1&token=\[redacted\]&y=2/);
  for (const line of lines) assert.ok(JSON.parse(line));
});
