import { createHash } from "node:crypto";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { createServer } from "node:net";
import { systemCode } from "../errors.ts";
import { StartupError } from "../startup-error.ts";
import { readServiceFile } from "./service-file.ts";

/**
 * Holds a folder for this process. The lock is the name of an abstract Unix socket: the kernel gives
 * it to one process of a network namespace at a time and takes it back however that process ends.
 * @throws StartupError another service holds it, and which
 * @see unix(7)
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const server = createServer((socket) => socket.destroy());
  server.listen({ path: await lockName(folder), exclusive: true });
  try {
    await once(server, "listening");
  } catch (error) {
    if (systemCode(error) !== "EADDRINUSE") throw error;
    throw new StartupError(await inUse(folder), { cause: error });
  }
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}

/** By device and inode, so that two paths to one folder are one lock. */
async function lockName(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  const hash = createHash("sha256").update(`${dev}:${ino}`).digest("hex");
  return `\0outwork-${hash.slice(0, 32)}`;
}

async function inUse(folder: string): Promise<string> {
  const holder = await readServiceFile(folder);
  const who = holder
    ? `the service with pid ${holder.pid} at ${holder.url}, started at ${holder.started_at}`
    : "another service that is just starting or stopping";
  return `The state folder ${folder} is in use by ${who}. Stop that one, or use another folder.`;
}
