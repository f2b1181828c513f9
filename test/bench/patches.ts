import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { originalProgram } from "../support/codex.ts";
import { quantile } from "./measure.ts";
import { type PatchScene, patchScenes } from "./patch-scenes.ts";
import { type Row, table } from "./table.ts";

/** As the program of environments is started, but for their own loader. */
const OURS = [
  process.execPath,
  "--v8-pool-size=1",
  "--openssl-config=/dev/null",
  resolve("dist/agent/apply-patch.cjs"),
];

/** The program `apply_patch` beside the original, from its start to its exit. */
export async function patchTable(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "outwork-bench-"));
  try {
    const original = [await originalProgram(folder)];
    const rows: Row[] = [];
    for (const scene of patchScenes()) {
      const what = `apply_patch, ${scene.what}`;
      const [theirs, ours] = await measured([original, OURS], scene, join(folder, "cwd"));
      rows.push({ what: `${what}: original`, unit: "ms", ...theirs });
      rows.push({ what, unit: "ms", ...ours, wanted: theirs.figure });
      console.error(`measured ${what}`);
    }
    return table(rows);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In turns, so that whatever else the machine does burdens both alike. */
async function measured(
  [theirs, ours]: readonly [readonly string[], readonly string[]],
  scene: PatchScene,
  cwd: string,
) {
  const times: [number[], number[]] = [[], []];
  for (let done = 0; done < scene.times; done += 1) {
    times[0].push(await once(theirs, scene, cwd));
    times[1].push(await once(ours, scene, cwd));
  }
  return [figures(times[0]), figures(times[1])] as const;
}

function figures(times: readonly number[]) {
  return { figure: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

async function once(argv: readonly string[], scene: PatchScene, cwd: string): Promise<number> {
  await mkdir(cwd);
  await scene.plant(cwd);
  const ms = run(argv, scene.patch, cwd);
  await rm(cwd, { recursive: true });
  return ms;
}

function run([program = "", ...args]: readonly string[], input: string, cwd: string): number {
  const start = performance.now();
  const { status, stderr } = spawnSync(program, args, { cwd, input, env: {} });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
  return performance.now() - start;
}
