import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";

/** The client that the exec-server protocol is held to. */
const CODEX_VERSION = "0.171.0";

/** A place of its own: the product does not depend on it. */
const FOLDER = resolve(`.cache/codex-${CODEX_VERSION}`);
const BINARY = resolve(FOLDER, "node_modules/.bin/codex");

/** The stock Codex CLI, installed from the registry once per checkout. */
export async function codexBinary(): Promise<string> {
  if (!existsSync(BINARY)) {
    const spec = `@openai/codex@${CODEX_VERSION}`;
    await promisify(execFile)("npm", ["install", "--no-save", "--prefix", FOLDER, spec]);
  }
  return BINARY;
}
