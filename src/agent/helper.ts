import { pipeline } from "node:stream/promises";
import { createTar } from "../archive/create.ts";
import { extractTar } from "../archive/extract.ts";
import { toProblem } from "../errors.ts";
import { serveFiles } from "./files/serve-files.ts";

/**
 * What the agent runs inside a sandbox: `tar-extract PATH` takes a tar on stdin and answers with one
 * line of JSON on stdout; `tar-create PATH` writes a tar to stdout; `files` carries out file calls. A failure is a problem, one line of
 * JSON on stdout or stderr respectively.
 */
export async function runHelper([verb, path = ""]: readonly string[]): Promise<void> {
  try {
    if (verb === "tar-extract") await extract(path);
    else if (verb === "files") await serveFiles();
    else if (verb === "tar-create") await pipeline(createTar(path), process.stdout);
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

async function extract(path: string): Promise<void> {
  const result = await extractTar(process.stdin, path);
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
