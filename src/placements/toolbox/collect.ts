import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { Program } from "../../contract/agent.ts";
import { AGENT_FOLDER, COMMAND_BIN_FOLDER } from "../../contract/constants.ts";
import { OutworkError } from "../../errors.ts";
import { interpreterOf } from "./elf.ts";
import { librariesOf } from "./libraries.ts";
import { readLoader } from "./loader.ts";
import { locatePrograms } from "./locate.ts";
import { hashFiles, type Toolbox, type ToolboxFile } from "./toolbox.ts";
import { BIN_FOLDER, nodeWrapper, wrapper } from "./wrapper.ts";

/** Where an environment finds the toolbox. */
export const TOOLBOX_FOLDER = `${AGENT_FOLDER}/toolbox`;
export const AGENT_FILE = "agent/agent.cjs";
export const PTY_FILE = "agent/pty.node";

/** The program for patches, and what commands call it. */
const PATCH_FILE = "apply-patch.cjs";
const PATCH_NAMES = ["apply_patch", "applypatch"];

/** Needed by programs in front of commands, so below the one folder that commands see. */
const COMMAND_PARTS = `${BIN_FOLDER}/.lib`;

/** Where `npm run build` puts bundles: `dist/agent`, beside `dist/src`. */
const bundled = (name: string) => fileURLToPath(new URL(`../../../agent/${name}`, import.meta.url));
export const BUNDLE = bundled("agent.cjs");
const PATCH_BUNDLE = bundled("apply-patch.cjs");

/**
 * Collects the toolbox from what this host has: its own Node, the bundled agent and the program
 * `apply_patch`, bubblewrap, and ripgrep where there is one. Nothing of it depends on the image it
 * will run in.
 * @throws `enforcement-missing` a program or library is not on this host, or we are not built whole
 */
export async function collectToolbox(): Promise<Toolbox> {
  for (const path of [BUNDLE, PATCH_BUNDLE]) if (!existsSync(path)) throw notBuilt(path);
  const host = await locatePrograms();
  const inner = new Box("", TOOLBOX_FOLDER);
  const outer = new Box(COMMAND_PARTS, `${COMMAND_BIN_FOLDER}/.lib`);
  const node = await outer.add(process.execPath, "node");
  const bwrap = await inner.add(host.bwrap, "bwrap");
  const setsid = await outer.add(host.setsid, "setsid");
  await outer.addLibrary(ptyBinding(), process.execPath);
  const rg = host.rg === null ? null : await outer.add(host.rg, "rg");
  const files = [
    ...inner.files(),
    ...outer.files(),
    { path: AGENT_FILE, mode: 0o444, content: { file: BUNDLE } },
    { path: PTY_FILE, mode: 0o444, content: { file: ptyBinding() } },
    { path: `${COMMAND_PARTS}/${PATCH_FILE}`, mode: 0o444, content: { file: PATCH_BUNDLE } },
    ...PATCH_NAMES.map((name) => nodeWrapper(name, node, `${outer.mountedAt}/${PATCH_FILE}`)),
    ...(rg === null ? [] : [wrapper("rg", rg)]),
  ];
  const programs = { node: asAgentSees(node), bwrap, setsid };
  return { hash: await hashFiles(files), files, programs };
}

function notBuilt(path: string): OutworkError {
  return new OutworkError(
    "enforcement-missing",
    `${path} is missing, so no environment can be started. \`npm run build\` in a checkout makes it; a ` +
      "package that lacks it has to be installed anew.",
  );
}

/** What a command sees of the toolbox is one folder of it. */
function asAgentSees(program: Program): Program {
  return program.map((word) =>
    word.startsWith(`${COMMAND_BIN_FOLDER}/`)
      ? `${TOOLBOX_FOLDER}/${BIN_FOLDER}${word.slice(COMMAND_BIN_FOLDER.length)}`
      : word,
  );
}

/** The native terminal binding, as it is installed on this host. */
export function ptyBinding(): string {
  const { resolve } = createRequire(import.meta.url);
  return resolve(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`);
}

/** Programs that share one folder of libraries. */
class Box {
  readonly #folder: string;
  readonly mountedAt: string;
  readonly #files = new Map<string, ToolboxFile>();

  /** @param folder within the toolbox; @param mountedAt where the programs will find it */
  constructor(folder: string, mountedAt: string) {
    this.#folder = folder === "" ? "" : `${folder}/`;
    this.mountedAt = mountedAt;
  }

  files(): ToolboxFile[] {
    return [...this.#files.values()];
  }

  async add(source: string, name: string): Promise<Program> {
    this.#put(`libexec/${name}`, { file: source }, 0o555);
    const path = `${this.mountedAt}/libexec/${name}`;
    const loader = await interpreterOf(source);
    if (loader === null) return [path];
    this.#put(`lib/${basename(loader)}`, { bytes: await readLoader(loader) }, 0o555);
    await this.#addLibraries(source, loader);
    const lib = `${this.mountedAt}/lib`;
    return [`${lib}/${basename(loader)}`, "--library-path", lib, path];
  }

  /** What a library needs once a program has loaded it. */
  async addLibrary(source: string, program: string): Promise<void> {
    const loader = await interpreterOf(program);
    if (loader !== null) await this.#addLibraries(source, loader);
  }

  async #addLibraries(source: string, loader: string): Promise<void> {
    for (const [name, path] of await librariesOf(source, loader))
      this.#put(`lib/${name}`, { file: path }, 0o444);
  }

  #put(path: string, content: ToolboxFile["content"], mode: number): void {
    this.#files.set(path, { path: this.#folder + path, mode, content });
  }
}
