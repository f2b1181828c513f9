import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { OutworkError, systemCode } from "../errors.ts";

/** Where a service is, and the token it wants. */
export interface ServiceAddress {
  readonly url: string;
  readonly token: string | undefined;
}

const ServiceFile = z.object({ url: z.string() });

/** Environments of a service of root's have users of their own, whom root's home would keep out. */
const STATE_FOLDER_OF_ROOT = "/var/lib/outwork";

/** The folder in which a service on this machine leaves its address and its token. */
export function stateFolder(variables: NodeJS.ProcessEnv): string {
  const { OUTWORK_STATE, XDG_STATE_HOME } = variables;
  if (OUTWORK_STATE) return OUTWORK_STATE;
  if (XDG_STATE_HOME) return join(XDG_STATE_HOME, "outwork");
  if (process.getuid?.() === 0) return STATE_FOLDER_OF_ROOT;
  return join(homedir(), ".local", "state", "outwork");
}

/**
 * `OUTWORK_URL` and `OUTWORK_TOKEN`; without the first, the service that runs on this machine, from
 * `service.json` and `token` of its state folder. The local token is never sent to another url.
 * @throws `service-unreachable` no url is set and no service has left its address
 */
export async function findService(variables: NodeJS.ProcessEnv): Promise<ServiceAddress> {
  const { OUTWORK_URL, OUTWORK_TOKEN } = variables;
  if (OUTWORK_URL) return { url: OUTWORK_URL, token: OUTWORK_TOKEN };
  const folder = stateFolder(variables);
  const text = await readIfThere(join(folder, "service.json"));
  if (text === undefined) throw nowhere(folder);
  const { url } = ServiceFile.parse(JSON.parse(text));
  const token = OUTWORK_TOKEN ?? (await readIfThere(join(folder, "token")))?.trim();
  return { url, token };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function nowhere(folder: string): OutworkError {
  return new OutworkError(
    "service-unreachable",
    `no service is known: OUTWORK_URL is not set and ${folder} has no service.json`,
    { facts: { effect: "none" } },
  );
}
