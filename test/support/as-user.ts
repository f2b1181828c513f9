import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

/** A user that no image and no host has by name. */
export const ORDINARY_UID = 1234;

export type ScriptResult = { exitCode: number; stdout: Buffer; stderr: string };

/**
 * Runs a Node script to its end as an ordinary user. Root becomes `uid`, in no other group; whoever
 * is an ordinary user stays that.
 */
export async function asUser(
  script: string,
  args: readonly string[],
  { stdin = Buffer.alloc(0), uid = ORDINARY_UID }: { stdin?: Readable | Buffer; uid?: number } = {},
): Promise<ScriptResult> {
  const identity = process.getuid?.() === 0 ? { uid, gid: uid } : {};
  const env = { PATH: process.env.PATH };
  const child = spawn(process.execPath, [script, ...args], { ...identity, cwd: "/", env });
  const source = stdin instanceof Readable ? stdin : Readable.from([stdin]);
  // A script that answers early stops reading; its answer says why.
  pipeline(source, child.stdin).catch(() => {});
  const [stdout, stderr, [exitCode]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number]>,
  ]);
  return { exitCode, stdout, stderr };
}
