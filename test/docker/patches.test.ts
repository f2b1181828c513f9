import { describe } from "node:test";
import { patches, patchPrograms } from "../conformance/suite/patches.ts";
import { openTestDocker, specOf } from "../support/docker.ts";
import { busyboxImage, debianImage } from "../support/images.ts";
import { freshId, type Launcher, useEnvironment } from "../support/placement-target.ts";

const { placement } = await openTestDocker();

function launcher(image: string): Launcher {
  return () => ({ placement, spec: (overrides) => specOf(freshId(), { image, ...overrides }) });
}

/** The program brings its own Node: an image may have none, nor a libc that would run ours. */
const [busybox, debian] = [await busyboxImage(), await debianImage()];

describe("in an image without a libc", () => patches(launcher(busybox)));

describe("in an image with a Node of its own, apply_patch", () => {
  patchPrograms(useEnvironment(launcher(debian)));
});
