import { createRequire } from "node:module";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { Program } from "../../contract/agent.ts";
import { AGENT_FOLDER, COMMAND_BIN_FOLDER } from "../../contract/constants.ts";
import { interpreterOf } from "./elf.ts";
import { librariesOf } from "./libraries.ts";
import { readLoader } from "./loader.ts";
import { locatePrograms } from "./locate.ts";
import { hashFiles, type Toolbox, type ToolboxFile } from "./toolbox.ts";

/** Where an environment finds the toolbox. */
export const TOOLBOX_FOLDER = `${AGENT_FOLDER}/toolbox`;
export const AGENT_FILE = "agent/agent.cjs";
export const PTY_FILE = "agent/pty.node";
/** Offered to commands at COMMAND_BIN_FOLDER. */
export const BIN_FOLDER = "bin";

/** Needed by programs in front of commands, so below the one folder that commands see. */
const COMMAND_PARTS = "bin/.lib";

/** The agent's bundle, where `npm run build` puts it: `dist/agent`, beside `dist/src`. */
export const BUNDLE = fileURLToPath(new URL("../../../agent/agent.cjs", import.meta.url));

/**
 * Collects the toolbox from what this host has: its own Node, the bundled agent, bubblewrap, and
 * ripgrep where there is one. Nothing of it depends on the image it will run in.
 * @throws `enforcement-missing` a program or library is not on this host
 */
export async function collectToolbox(): Promise<Toolbox> {
  const host = await locatePrograms();
  const inner = new Box("", TOOLBOX_FOLDER);
  const outer = new Box(COMMAND_PARTS, `${COMMAND_BIN_FOLDER}/.lib`);
  const node = await inner.add(process.execPath, "node");
  const bwrap = await inner.add(host.bwrap, "bwrap");
  const setsid = await outer.add(host.setsid, "setsid");
  await inner.addLibrary(ptyBinding(), process.execPath);
  const rg = host.rg === null ? null : await outer.add(host.rg, "rg");
  const files = [
    ...inner.files(),
    ...outer.files(),
    { path: AGENT_FILE, mode: 0o444, content: { file: BUNDLE } },
    { path: PTY_FILE, mode: 0o444, content: { file: ptyBinding() } },
    ...(rg === null ? [] : [wrapper("rg", rg)]),
  ];
  return { hash: await hashFiles(files), files, programs: { node, bwrap, setsid } };
}

/** The native terminal binding, as it is installed on this host. */
export function ptyBinding(): string {
  const { resolve } = createRequire(import.meta.url);
  return resolve(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`);
}

/** A command's program is one word: the wrapper puts loader and libraries in front of it. */
function wrapper(name: string, program: Program): ToolboxFile {
  const text = `#!/bin/sh\nexec ${program.join(" ")} "$@"\n`;
  return { path: `${BIN_FOLDER}/${name}`, mode: 0o555, content: { bytes: Buffer.from(text) } };
}

/** Programs that share one folder of libraries. */
class Box {
  readonly #folder: string;
  readonly #mountedAt: string;
  readonly #files = new Map<string, ToolboxFile>();

  /** @param folder within the toolbox; @param mountedAt where the programs will find it */
  constructor(folder: string, mountedAt: string) {
    this.#folder = folder === "" ? "" : `${folder}/`;
    this.#mountedAt = mountedAt;
  }

  files(): ToolboxFile[] {
    return [...this.#files.values()];
  }

  async add(source: string, name: string): Promise<Program> {
    this.#put(`libexec/${name}`, { file: source }, 0o555);
    const path = `${this.#mountedAt}/libexec/${name}`;
    const loader = await interpreterOf(source);
    if (loader === null) return [path];
    this.#put(`lib/${basename(loader)}`, { bytes: await readLoader(loader) }, 0o555);
    await this.#addLibraries(source, loader);
    const lib = `${this.#mountedAt}/lib`;
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
