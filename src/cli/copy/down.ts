import type { RemoteEnvironment } from "../../client/index.ts";
import type { ArchiveResult } from "../../contract/archive.ts";
import { kindHere } from "./here.ts";
import { seenTar } from "./tar-head.ts";
import { targetPath } from "./target.ts";
import { absoluteThere } from "./there.ts";
import { unpackFile, unpackFolder } from "./unpack.ts";
import type { Counted } from "./up.ts";

/** Copies a file or folder of an environment to this machine. */
export async function copyDown(
  environment: RemoteEnvironment,
  source: string,
  destination: string,
  counted: Counted,
): Promise<ArchiveResult> {
  const stream = await environment.download(await absoluteThere(environment, source));
  try {
    const { kind, tar } = await seenTar(counted(stream));
    const target = targetPath(source || ".", destination, await kindHere(destination));
    return await (kind === "folder" ? unpackFolder(tar, target) : unpackFile(tar, target));
  } finally {
    stream.destroy();
  }
}
