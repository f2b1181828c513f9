import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

/** The client that the exec-server protocol is held to. */
const CODEX_VERSION = "0.171.0";

/** A place of its own: the product does not depend on it. */
const FOLDER = resolve(`.cache/codex-${CODEX_VERSION}`);
const BINARY = resolve(FOLDER, "node_modules/.bin/codex");

/** The stock Codex CLI, installed from the registry once per checkout. */
export async function codexBinary(): Promise<string> {
  if (!existsSync(BINARY)) await install();
  return BINARY;
}

/** Complete or not there, however many tests ask at once: it gets its name by a rename. */
async function install(): Promise<void> {
  await mkdir(dirname(FOLDER), { recursive: true });
  const draft = await mkdtemp(`${FOLDER}-`);
  const spec = `@openai/codex@${CODEX_VERSION}`;
  await promisify(execFile)("npm", ["install", "--no-save", "--prefix", draft, spec]);
  await rename(draft, FOLDER).catch(async (error: unknown) => {
    await rm(draft, { recursive: true });
    if (!existsSync(BINARY)) throw error;
  });
}

/**
 * Puts the original `apply_patch` into a folder: the Codex CLI is that program when it is called by
 * that name.
 */
export async function originalProgram(folder: string): Promise<string> {
  await codexBinary();
  const program = join(folder, "apply_patch");
  await symlink(await nativeBinary(), program);
  return program;
}

/** The package's own launcher is a script, which would call it by another name. */
async function nativeBinary(): Promise<string> {
  const scope = join(FOLDER, "node_modules/@openai");
  const found = await readdir(scope, { recursive: true });
  const path = found.find((each) => /^codex-linux-\w+\/vendor\/[^/]+\/bin\/codex$/.test(each));
  if (path === undefined) throw new Error(`no program of this platform in ${scope}`);
  return join(scope, path);
}
