import { posix } from "node:path";
import type { RemoteEnvironment } from "../../client/index.ts";
import type { ArchiveResult } from "../../contract/archive.ts";
import { OutworkError } from "../../errors.ts";
import { kindHere, tarOfFile, tarOfFolder } from "./here.ts";
import { targetPath } from "./target.ts";
import { absoluteThere, kindThere } from "./there.ts";

/** Counts what passes. */
export type Counted = (bytes: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

/** Copies a file or folder of this machine into an environment. */
export async function copyUp(
  source: string,
  environment: RemoteEnvironment,
  destination: string,
  counted: Counted,
): Promise<ArchiveResult> {
  const kind = await kindHere(source);
  if (kind === "none")
    throw new OutworkError("path-not-found", `\`${source}\` does not exist here`);
  const target = await targetThere(source, environment, destination);
  if (kind === "folder") return environment.upload(target, counted(tarOfFolder(source)));
  const tar = tarOfFile(source, posix.basename(target));
  return environment.upload(posix.dirname(target), counted(tar));
}

async function targetThere(
  source: string,
  environment: RemoteEnvironment,
  destination: string,
): Promise<string> {
  const path = await absoluteThere(environment, destination);
  const ends = destination.endsWith("/") ? `${path}/` : path;
  return targetPath(source, ends, await kindThere(environment, path));
}
