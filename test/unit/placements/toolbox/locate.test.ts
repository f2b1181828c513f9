import assert from "node:assert/strict";
import { test } from "node:test";
import { locatePrograms } from "../../../../src/placements/toolbox/locate.ts";

test("programs are found in the system's folders, whatever PATH says", async (t) => {
  const { PATH } = process.env;
  process.env.PATH = "/nowhere";
  t.after(() => {
    process.env.PATH = PATH;
  });
  const { bwrap, setsid } = await locatePrograms();
  assert.match(`${bwrap} ${setsid}`, /^\/\S*bin\/bwrap \/\S*bin\/setsid$/);
});
