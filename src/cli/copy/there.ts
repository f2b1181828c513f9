import type { RemoteEnvironment } from "../../client/index.ts";
import { OutworkError } from "../../errors.ts";
import { seenTar } from "./tar-head.ts";
import { type Kind, pathThere } from "./target.ts";

/** A path of an environment made absolute; only a relative one costs a question. */
export async function absoluteThere(environment: RemoteEnvironment, path: string): Promise<string> {
  const workspace = path.startsWith("/") ? "/" : (await environment.inspect()).workspace;
  return pathThere(path, workspace);
}

/** What is at a path of an environment, by the beginning of its archive. */
export async function kindThere(environment: RemoteEnvironment, path: string): Promise<Kind> {
  try {
    const stream = await environment.download(path);
    try {
      return (await seenTar(stream)).kind;
    } finally {
      stream.destroy();
    }
  } catch (error) {
    if (error instanceof OutworkError && error.code === "path-not-found") return "none";
    throw error;
  }
}
