import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type Docker from "dockerode";
import { type Recipe, recipeHash } from "./recipe.ts";

/** Carries the hash of the recipe that made an image, so that a second run has nothing to do. */
const LABEL = "dev.outwork.test-image";

/** Makes the image in this engine unless the same recipe has already made it, and names it. */
export async function buildImage(engine: Docker, recipe: Recipe): Promise<string> {
  const hash = recipeHash(recipe);
  if (await isBuilt(engine, recipe.tag, hash)) return recipe.tag;
  const root = await mkdtemp(join(tmpdir(), "outwork-image-"));
  try {
    await recipe.fill(root);
    await importFolder(engine, root, recipe, hash);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return recipe.tag;
}

async function isBuilt(engine: Docker, tag: string, hash: string): Promise<boolean> {
  const filters = JSON.stringify({ label: [`${LABEL}=${hash}`] });
  const images = await engine.listImages({ filters });
  return images.some(({ RepoTags }) => RepoTags?.includes(tag));
}

async function importFolder(
  engine: Docker,
  root: string,
  recipe: Recipe,
  hash: string,
): Promise<void> {
  const tar = spawn("tar", ["-C", root, "--numeric-owner", "-c", "."], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [repo, tag] = recipe.tag.split(":");
  const changes = [...recipe.variables.map((line) => `ENV ${line}`), `LABEL ${LABEL}=${hash}`];
  const [answer] = await Promise.all([
    engine.importImage(tar.stdout, { repo, tag, changes }).then(text),
    once(tar, "close"),
  ]);
  if (tar.exitCode !== 0) throw new Error(`tar of ${recipe.tag} failed`);
  if (answer.includes('"error"')) throw new Error(`the engine refused ${recipe.tag}: ${answer}`);
}
