import { readFile } from "node:fs/promises";
import type { Outwork } from "../client/index.ts";
import { findService, type ServiceAddress } from "../client/local-service.ts";
import { systemCode } from "../errors.ts";
import type { FlagValues } from "./command.ts";
import type { GLOBAL_FLAGS } from "./global-flags.ts";
import { UsageError } from "./usage-error.ts";

/** People notice sooner than programs that nobody answers. */
const RETRIES = 2;

/** The service that flags and variables name, with a client for it. */
export async function connect(
  flags: FlagValues<typeof GLOBAL_FLAGS>,
  variables: NodeJS.ProcessEnv,
): Promise<Outwork> {
  const address = await addressOf(flags, variables);
  // Loaded by those who need it: help and mistakes are answered sooner without it.
  const client = await import("../client/index.ts");
  return new client.Outwork({ ...address, retries: RETRIES });
}

/** Where that service is, and the token for it. */
export async function addressOf(
  { url, "token-file": tokenFile }: FlagValues<typeof GLOBAL_FLAGS>,
  variables: NodeJS.ProcessEnv,
): Promise<ServiceAddress> {
  const named = url === undefined ? variables : { ...variables, OUTWORK_URL: url };
  const service = await findService(named);
  if (!URL.canParse(service.url)) throw new UsageError(`\`${service.url}\` is not a URL`);
  const token = tokenFile === undefined ? service.token : await tokenIn(tokenFile);
  return { url: service.url, token };
}

async function tokenIn(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new UsageError(`--token-file: \`${file}\` cannot be read (${code})`);
  }
}
