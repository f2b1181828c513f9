import Docker from "dockerode";
import { buildImage } from "../../images/build.ts";
import { busyboxRecipe } from "../../images/busybox.ts";
import { debianRecipe } from "../../images/debian.ts";

/** This host's engine, as tests look at it past the placement. */
export const localEngine = new Docker({ socketPath: "/var/run/docker.sock" });

/** An image with one static program and no libc; made at first use. Its variables: PATH and MARK. */
export async function busyboxImage(engine: Docker = localEngine): Promise<string> {
  return buildImage(engine, await busyboxRecipe());
}

/** A Debian with bash, git, python3 and node; made at first use. */
export async function debianImage(engine: Docker = localEngine): Promise<string> {
  return buildImage(engine, await debianRecipe());
}
