/** Applies a patch from standard input in a folder, and prints what it did. */
import { text } from "node:stream/consumers";
import { applyPatch } from "../../../../src/patch/apply/apply.ts";
import { parsePatch } from "../../../../src/patch/read/stream.ts";
import { contextIn } from "./context.ts";

const [cwd = "", options = "{}"] = process.argv.slice(2);
const patch = parsePatch(await text(process.stdin));
const { changes, failure } = await applyPatch(patch, contextIn(cwd, JSON.parse(options)));
console.log(JSON.stringify({ changes, failure: failure?.message }));
