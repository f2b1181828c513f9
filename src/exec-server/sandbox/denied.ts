import type { StreamName } from "../../contract/process.ts";
import type { OutputChunk } from "../ports.ts";

const KEYWORDS = [
  "operation not permitted",
  "permission denied",
  "read-only file system",
  "seccomp",
  "sandbox",
  "landlock",
  "failed to write file",
];

/** 128 + SIGSYS: the filter ended the process. */
const KILLED_BY_FILTER = 159;

/**
 * Does a failure look like the sandbox's doing? A guess from the output, which clients know how to
 * take: they offer to try again without the sandbox. Never true without one.
 */
export function looksDenied(
  exitCode: number,
  output: Iterable<Pick<OutputChunk, "stream" | "bytes">>,
): boolean {
  if (exitCode === 0) return false;
  return exitCode === KILLED_BY_FILTER || texts(output).some(namesDenial);
}

/** One text a stream, so that a phrase cut in two by chunks is found. */
function texts(output: Iterable<Pick<OutputChunk, "stream" | "bytes">>): string[] {
  const streams: Record<StreamName, Uint8Array[]> = { stdout: [], stderr: [], pty: [] };
  for (const { stream, bytes } of output) streams[stream].push(bytes);
  return Object.values(streams).map((chunks) => Buffer.concat(chunks).toString("latin1"));
}

function namesDenial(text: string): boolean {
  const lower = text.toLowerCase();
  return KEYWORDS.some((keyword) => lower.includes(keyword));
}
