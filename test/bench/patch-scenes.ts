import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A patch, and the files that it is for. */
export interface PatchScene {
  readonly what: string;
  /** How often it is measured. */
  readonly times: number;
  readonly patch: string;
  plant(folder: string): Promise<void>;
}

const CHUNKS = 5_000;
const FILES = 10_000;

export function patchScenes(): readonly PatchScene[] {
  return [small(), manyChunks(), longLine(), manyFiles()];
}

/** What is left of a patch this small is the start of the program. */
function small(): PatchScene {
  return {
    what: "one line of a small file",
    times: 30,
    patch: patchOf("*** Update File: f", "@@", "-1", "+2"),
    plant: (folder) => writeFile(join(folder, "f"), "1\n"),
  };
}

function manyChunks(): PatchScene {
  const lines = Array.from({ length: 1_000_000 }, (_, at) => `line ${at} `.padEnd(49, "."));
  const chunks = Array.from({ length: CHUNKS }, (_, chunk) => {
    const at = chunk * 199 + 7;
    return ["@@", ` ${lines[at - 1]}`, `-${lines[at]}`, `+changed ${chunk}`, ` ${lines[at + 1]}`];
  });
  return {
    what: "5 000 chunks of a file of 50 MB",
    times: 3,
    patch: patchOf("*** Update File: f", ...chunks.flat()),
    plant: (folder) => writeFile(join(folder, "f"), `${lines.join("\n")}\n`),
  };
}

function longLine(): PatchScene {
  const line = "x".repeat(20_000_000);
  return {
    what: "a line of 20 MB",
    times: 3,
    patch: patchOf("*** Update File: f", `-${line}`, "+short"),
    plant: (folder) => writeFile(join(folder, "f"), `${line}\n`),
  };
}

function manyFiles(): PatchScene {
  const names = Array.from({ length: FILES }, (_, at) => `d${at % 100}/f${at}`);
  return {
    what: "10 000 files",
    times: 3,
    patch: patchOf(...names.flatMap((name) => [`*** Update File: ${name}`, "-1", "+2"])),
    plant: async (folder) => {
      for (let at = 0; at < 100; at += 1) await mkdir(join(folder, `d${at}`), { recursive: true });
      for (const name of names) await writeFile(join(folder, name), "1\n");
    },
  };
}

function patchOf(...lines: readonly string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");
}
