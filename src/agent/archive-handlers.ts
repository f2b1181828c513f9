import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { ArchiveResult } from "../contract/archive.ts";
import type { Problem } from "../contract/problem.ts";
import { asError, fromProblem, OutworkError } from "../errors.ts";
import type { Sinks, Sources } from "./rpc/methods.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

interface ArchiveHandlers {
  readonly sources: Pick<Sources, "outwork/archive/get">;
  readonly sinks: Sinks;
}

/**
 * Tar streams in and out, each through a helper inside a sandbox of its own, so that links and races
 * are the kernel's business. An upload may write the environment's own folders and nothing else.
 */
export function archiveHandlers(sandbox: Sandbox): ArchiveHandlers {
  const nothing = { write: [], protected_names: [] };
  return {
    sources: {
      "outwork/archive/get": ({ path }, signal) =>
        download(sandbox.runHelper(["tar-create", path, ...sandbox.standInNames], nothing), signal),
    },
    sinks: {
      "outwork/archive/put": ({ path }, source, signal) =>
        upload(
          sandbox.runOwnersHelper(["tar-extract", path, ...sandbox.standInNames]),
          source,
          signal,
        ),
    },
  };
}

async function upload(
  helper: ChildProcess,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<ArchiveResult> {
  const end = endOf(helper, signal);
  const [stdin, stdout] = [piped(helper.stdin), piped(helper.stdout)];
  const answer = text(stdout);
  const sent = pipeline(Readable.from(source), stdin).catch(ifHelperLeft);
  try {
    await Promise.all([sent, answer, end]);
  } catch (error) {
    helper.kill("SIGKILL");
    throw error;
  }
  return parseAnswer(await answer, (await end).said) as ArchiveResult;
}

/** A helper that refuses the archive stops reading; its answer, not the pipe, says why. */
function ifHelperLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
}

async function download(
  helper: ChildProcess,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const end = endOf(helper, signal);
  helper.stdin?.end();
  const stdout = piped(helper.stdout);
  await Promise.race([once(stdout, "readable"), end]);
  if (stdout.readableLength === 0) refuseFailure(await end);
  return wholeTar(stdout, end);
}

async function* wholeTar(stdout: Readable, end: Promise<End>): AsyncGenerator<Uint8Array> {
  yield* stdout;
  refuseFailure(await end);
}

interface End {
  readonly code: number;
  readonly said: string;
}

async function endOf(helper: ChildProcess, signal: AbortSignal): Promise<End> {
  const kill = () => helper.kill("SIGKILL");
  signal.addEventListener("abort", kill);
  try {
    const said = text(piped(helper.stderr));
    const [code] = await once(helper, "exit");
    return { code: Number(code ?? -1), said: await said };
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

function refuseFailure({ code, said }: End): void {
  if (code !== 0) parseAnswer(lastLine(said), said);
}

function lastLine(said: string): string {
  return said.trim().split("\n").at(-1) ?? "";
}

/** What a helper says of its work: a result, or the problem it met. */
function parseAnswer(answer: string, said: string): unknown {
  const parsed = parseJson(answer);
  if (parsed !== null && "type" in parsed) throw fromProblem(parsed as Problem);
  if (parsed !== null) return parsed;
  throw new OutworkError("internal", "The archive helper ended without an answer.", {
    cause: new Error(said),
  });
}

function parseJson(line: string): object | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function piped<S>(stream: S | null): S {
  if (stream === null) throw asError("the helper was started without pipes");
  return stream;
}
