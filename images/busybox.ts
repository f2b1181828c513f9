import { copyFile, mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Recipe } from "./recipe.ts";
import { run } from "./run.ts";

const BUSYBOX = "/bin/busybox";
const HINT = "install busybox-static (apt-get install busybox-static)";

/** An image with one static program: no libc, no bash, no passwd. */
export async function busyboxRecipe(): Promise<Recipe> {
  const applets = (await run(BUSYBOX, ["--list"], HINT)).split("\n").filter(Boolean);
  return {
    tag: "outwork-test-busybox:latest",
    variables: ["PATH=/bin", "MARK=from-the-image"],
    inputs: applets,
    source: import.meta.filename,
    fill: (root) => fill(root, applets),
  };
}

async function fill(root: string, applets: readonly string[]): Promise<void> {
  const bin = join(root, "bin");
  await mkdir(bin);
  await copyFile(BUSYBOX, join(bin, "busybox"));
  const names = applets.filter((name) => name !== "busybox");
  await Promise.all(names.map((name) => symlink("busybox", join(bin, name))));
}
