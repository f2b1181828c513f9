/** Applies a patch from standard input atomically in a folder, and dies before its n-th change. */
import { text } from "node:stream/consumers";
import { applyPatch } from "../../../../src/patch/apply/apply.ts";
import { NodeFiles } from "../../../../src/patch/files/node-files.ts";
import { parsePatch } from "../../../../src/patch/read/stream.ts";
import { contextIn } from "./context.ts";
import { watched } from "./faulty.ts";

const [cwd = "", at] = process.argv.slice(2);
const files = watched(new NodeFiles(), (_, count) => {
  if (count === Number(at)) process.kill(process.pid, "SIGKILL");
});
const patch = parsePatch(await text(process.stdin));
await applyPatch(patch, { ...contextIn(cwd, { atomic: true }), files });
