import { pipeline } from "node:stream/promises";
import { byteText } from "../archive/byte-text.ts";
import { createTar } from "../archive/create.ts";
import { extractTar } from "../archive/extract.ts";
import type { StandInNames } from "../archive/stand-in.ts";
import { toProblem } from "../errors.ts";
import { serveFiles } from "./files/serve-files.ts";

/**
 * What the agent runs inside a sandbox: `tar-extract PATH NAME…` takes a tar on stdin and answers with
 * one line of JSON on stdout; `tar-create PATH NAME…` writes a tar to stdout; the names are those of
 * stand-ins. `files` carries out file calls. A failure is a problem, one line of JSON on stdout or
 * stderr respectively.
 */
export async function runHelper([verb, path = "", ...names]: readonly string[]): Promise<void> {
  const standIns = new Set(names.map(byteText));
  try {
    if (verb === "tar-extract") await extract(path, standIns);
    else if (verb === "files") await serveFiles();
    else if (verb === "tar-create") await pipeline(createTar(path, standIns), process.stdout);
    else throw new Error(`no helper ${verb}`);
  } catch (error) {
    const out = verb === "tar-extract" ? process.stdout : process.stderr;
    out.write(`${JSON.stringify(toProblem(error))}\n`);
    process.exitCode = 1;
  } finally {
    // A sender who has more to say must not keep the helper alive.
    process.stdin.destroy();
  }
}

async function extract(path: string, standIns: StandInNames): Promise<void> {
  const result = await extractTar(process.stdin, path, { standIns });
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
