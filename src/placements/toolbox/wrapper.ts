import type { Program } from "../../contract/agent.ts";
import type { ToolboxFile } from "./toolbox.ts";

/** Where the toolbox has what is offered to commands at COMMAND_BIN_FOLDER. */
export const BIN_FOLDER = "bin";

/** Variables of a command that would make Node or its loader run, load or write something else. */
const MISLEADING = [
  ...["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT"],
  ...["NODE_OPTIONS", "NODE_V8_COVERAGE", "NODE_DEBUG", "NODE_EXTRA_CA_CERTS"],
];

/** A command's program is one word: the wrapper puts loader and libraries in front of it. */
export function wrapper(name: string, program: Program): ToolboxFile {
  return script(name, [`exec ${program.join(" ")} "$@"`]);
}

/** The same for a script of ours on our own Node. */
export function nodeWrapper(name: string, node: Program, file: string): ToolboxFile {
  const argv = [...node, "--v8-pool-size=1", "--openssl-config=/dev/null", file];
  return script(name, [`unset ${MISLEADING.join(" ")}`, `exec ${argv.join(" ")} "$@"`]);
}

function script(name: string, lines: readonly string[]): ToolboxFile {
  const bytes = Buffer.from(`${["#!/bin/sh", ...lines].join("\n")}\n`);
  return { path: `${BIN_FOLDER}/${name}`, mode: 0o555, content: { bytes } };
}
