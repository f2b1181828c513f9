import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Program } from "../../contract/agent.ts";

/** One file of the toolbox. */
export interface ToolboxFile {
  /** Relative to the toolbox. */
  readonly path: string;
  readonly mode: number;
  readonly content: { readonly file: string } | { readonly bytes: Buffer };
}

/** What the agent needs inside of any image: programs with their own loader and libraries. */
export interface Toolbox {
  /** Of paths, modes and contents: a toolbox with the same hash is the same toolbox. */
  readonly hash: string;
  readonly files: readonly ToolboxFile[];
  /** As started inside of an environment. */
  readonly programs: {
    readonly node: Program;
    readonly bwrap: Program;
    /** From the folder that commands see, since it runs in front of a command. */
    readonly setsid: Program;
  };
}

export async function hashFiles(files: readonly ToolboxFile[]): Promise<string> {
  const hash = createHash("sha256");
  for (const { path, mode, content } of files) {
    hash.update(`${path}\0${mode}\0`);
    if ("bytes" in content) hash.update(content.bytes);
    else for await (const chunk of createReadStream(content.file)) hash.update(chunk);
    hash.update("\0");
  }
  return hash.digest("hex").slice(0, 32);
}
