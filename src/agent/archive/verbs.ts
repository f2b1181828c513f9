import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { toProblem } from "../../errors.ts";
import { createTar } from "./create.ts";
import { extractTar } from "./extract.ts";

/**
 * The helper verb `tar-extract PATH`: a tar on `stdin`; on `stdout` one line of JSON, an
 * ArchiveResult or a Problem.
 * @returns the exit code: 1 after a problem
 */
export async function tarExtract(path: string, stdin: Readable, stdout: Writable): Promise<number> {
  try {
    const result = await extractTar(stdin, path);
    stdout.write(`${JSON.stringify(result)}\n`);
    return 0;
  } catch (error) {
    stdout.write(`${JSON.stringify(toProblem(error))}\n`);
    return 1;
  } finally {
    // A sender who has more to say must not keep the process alive.
    stdin.destroy();
  }
}

/**
 * The helper verb `tar-create PATH`: a tar on `stdout`, cut short by a failure; then one line of
 * JSON, a Problem, on `stderr`.
 * @returns the exit code: 1 after a problem
 */
export async function tarCreate(path: string, stdout: Writable, stderr: Writable): Promise<number> {
  try {
    await pipeline(createTar(path), stdout);
    return 0;
  } catch (error) {
    stderr.write(`${JSON.stringify(toProblem(error))}\n`);
    return 1;
  }
}
