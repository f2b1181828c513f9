import Docker from "dockerode";
import { buildImage } from "./build.ts";
import { busyboxRecipe } from "./busybox.ts";
import { debianRecipe } from "./debian.ts";

/** Builds every test image into the engine of `DOCKER_HOST` or this host. */
const engine = new Docker();
for (const recipe of [await busyboxRecipe(), await debianRecipe()]) {
  console.log(await buildImage(engine, recipe));
}
