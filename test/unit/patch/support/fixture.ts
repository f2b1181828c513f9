import * as fs from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Tree, treeOf } from "./tree.ts";

/** Where the recorded runs lie; tests start in the root of the repository. */
const FOLDER = resolve("test/fixtures/apply-patch");

/** What the original does and we do only on request, and what we leave instead. */
export const FAULTS: Readonly<Record<string, Tree>> = {
  "091-move-onto-itself-loses-the-file": { "f.txt": "A\nb\nc\nd\ne\n" },
};

type Extra = { links?: Record<string, string>; directories?: string[] };

/** One run of the original, as recorded. `{{CWD}}` stands for the working directory. */
export type Fixture = {
  readonly name: string;
  readonly patch: Buffer;
  readonly exit_code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly via: "argument" | "stdin";
  readonly input_extra?: Extra;
  readonly expected_extra?: Extra;
  readonly tool?: { readonly output: string; readonly tree: string };
};

export async function fixtures(): Promise<Fixture[]> {
  const entries = await fs.readdir(FOLDER, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(names.sort().map(readFixture));
}

async function readFixture(name: string): Promise<Fixture> {
  const recorded = await fs.readFile(join(FOLDER, name, "expected.json"), "utf8");
  return {
    name,
    patch: await fs.readFile(join(FOLDER, name, "patch.txt")),
    ...JSON.parse(recorded),
  };
}

/** Lays out what a run starts from. */
export async function plantInput(fixture: Fixture, cwd: string): Promise<void> {
  const input = join(FOLDER, fixture.name, "input");
  await fs.cp(input, cwd, { recursive: true }).catch(ignoreMissing);
  for (const [name, target] of Object.entries(fixture.input_extra?.links ?? {})) {
    await fs.symlink(target, join(cwd, name));
  }
}

/** What a run leaves: the tree `input` or `expected`. */
export async function recordedTree(fixture: Fixture, which: string): Promise<Tree> {
  const extra = which === "input" ? fixture.input_extra : fixture.expected_extra;
  const links = Object.entries(extra?.links ?? {}).map(([name, to]) => [name, `-> ${to}`]);
  return { ...(await treeOf(join(FOLDER, fixture.name, which))), ...Object.fromEntries(links) };
}

/** The patch with the working directory filled in; bytes, since one is not text. */
export function patchIn(fixture: Fixture, cwd: string): Buffer {
  return Buffer.from(fixture.patch.toString("latin1").replaceAll("{{CWD}}", cwd), "latin1");
}

/** A recorded answer with the working directory filled in. */
export function fill<T>(recorded: T, cwd: string): T {
  return JSON.parse(JSON.stringify(recorded).replaceAll("{{CWD}}", cwd));
}

/** A tool's answer as it is recorded. */
export function withoutTime(text: string): string {
  return text.replace(/^Wall time: \d+(\.\d)? seconds$/m, "Wall time: {{SECONDS}} seconds");
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
