import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../startup-error.ts";
import { readIfThere, writePrivate } from "./files.ts";

const TOKEN = /^ow_[A-Za-z0-9_-]{43}$/;

/** The token of a service for which no tokens are configured. */
export interface LocalToken {
  readonly file: string;
  readonly token: string;
}

/**
 * Made at the first start and then kept, in a file that only its owner can read.
 * @throws StartupError if others can read it, or it holds something else
 */
export async function localToken(stateFolder: string): Promise<LocalToken> {
  const file = join(stateFolder, "token");
  const kept = await readIfThere(file);
  if (kept !== null) return { file, token: await checked(kept.trim(), file) };
  const token = `ow_${randomBytes(32).toString("base64url")}`;
  await writePrivate(file, `${token}\n`);
  return { file, token };
}

async function checked(token: string, file: string): Promise<string> {
  const { mode } = await stat(file);
  if ((mode & 0o077) !== 0) {
    throw new StartupError(
      `Others can read the token in ${file}: remove it, and one is made anew.`,
    );
  }
  if (!TOKEN.test(token)) {
    throw new StartupError(`${file} holds no token: remove it, and one is made anew.`);
  }
  return token;
}
