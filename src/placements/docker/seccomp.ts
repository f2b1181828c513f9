import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PROFILE = fileURLToPath(
  new URL("../../../../policies/container-seccomp.json", import.meta.url),
);

/** The text of the container's seccomp profile: the engine's API takes no path. */
export function readSeccompProfile(): string {
  return JSON.stringify(JSON.parse(readFileSync(PROFILE, "utf8")));
}
