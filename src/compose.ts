import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { Closers } from "./closers.ts";
import { type Config, placementsOf } from "./config.ts";
import type { PlacementKind } from "./contract/index.ts";
import { Environments } from "./core/environments.ts";
import type { Placement } from "./core/placement.ts";
import { Readiness } from "./core/readiness.ts";
import { systemCode } from "./errors.ts";
import { makeLog } from "./log.ts";
import { readPresets } from "./presets.ts";
import { buildApp } from "./service/app.ts";
import { isLoopback } from "./service/loopback.ts";
import { type KnownToken, sha256, Tokens } from "./service/tokens.ts";
import { StartupError } from "./startup-error.ts";
import { openStateFolder, refuseImpassable } from "./state/folder.ts";
import { instanceId } from "./state/instance.ts";
import { lockFolder } from "./state/lock.ts";
import { removeServiceFile, writeServiceFile } from "./state/service-file.ts";
import { localToken } from "./state/token.ts";
import { VERSION } from "./version.ts";

/** What every placement is opened with. */
interface PlacementOptions {
  readonly config: Config;
  readonly stateFolder: string;
  readonly instanceId: string;
  readonly log: Logger;
}

type OpenPlacement = (options: PlacementOptions) => Promise<Placement>;

/** How each placement is opened. Only what is set up is loaded: an engine's client is large. */
const OPENERS: Readonly<Record<PlacementKind, OpenPlacement>> = {
  async embedded(options) {
    const { openEmbedded } = await import("./placements/embedded/index.ts");
    return openEmbedded(options);
  },
  async docker({ config, ...options }) {
    const { openDocker } = await import("./placements/docker/index.ts");
    return openDocker({ ...options, docker: dockerOptions(config.placements.docker) });
  },
};

/** Parts that tests replace. */
interface Parts {
  readonly openers?: Readonly<Partial<Record<PlacementKind, OpenPlacement>>>;
  readonly log?: Logger;
}

/** A service that listens. Disposing it ends the service and leaves every environment running. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  /** File with the token to call it with; null: tokens are configured. */
  readonly tokenFile: string | null;
  readonly log: Logger;
}

/**
 * Builds the whole service from its configuration and lets it listen.
 * @throws StartupError why it does not start; nothing is left half open
 */
export async function compose(config: Config, parts: Parts = {}): Promise<Service> {
  const closers = new Closers();
  try {
    return await open(config, closers, parts);
  } catch (error) {
    await closers[Symbol.asyncDispose]().catch(() => {});
    throw error;
  }
}

async function open(config: Config, closers: Closers, parts: Parts): Promise<Service> {
  refusePublicWithoutTokens(config);
  const { state_folder: stateFolder, default_placement: defaultPlacement } = config;
  const log = parts.log ?? makeLog(config.log_level);
  await openStateFolder(stateFolder);
  if (config.placements.embedded) await refuseImpassable(stateFolder);
  closers.add(await lockFolder(stateFolder));
  await removeServiceFile(stateFolder);

  const openers = { ...OPENERS, ...parts.openers };
  const options = { config, stateFolder, instanceId: await instanceId(stateFolder), log };
  const placements: Placement[] = [];
  for (const kind of placementsOf(config.placements)) {
    placements.push(closers.add(await openers[kind](options)));
  }
  const rules = { defaultPlacement, presets: await readPresets(), ceilings: ceilingsOf(config) };
  const environments = closers.add(new Environments({ placements, rules, log }));
  await environments.recover();

  const { known, tokenFile } = await tokensOf(config);
  const app = await buildApp({
    environments,
    readiness: new Readiness({ placements, unrecovered: () => environments.unrecovered }),
    tokens: new Tokens(known),
    origins: {
      allowedOrigins: config.allowed_origins,
      loopbackOnly: isLoopback(config.listen.host),
    },
    log,
    version: VERSION,
  });
  closers.defer(() => app.close());
  const url = await listen(app, config);
  closers.defer(() => removeServiceFile(stateFolder));
  const started_at = new Date().toISOString();
  await writeServiceFile(stateFolder, { pid: process.pid, url, started_at });
  return { url, tokenFile, log, [Symbol.asyncDispose]: () => closers[Symbol.asyncDispose]() };
}

/** Anyone who reaches the port could try tokens, so there it takes ones that the operator chose. */
function refusePublicWithoutTokens({ listen: { host }, tokens }: Config): void {
  if (isLoopback(host) || tokens.length > 0) return;
  throw new StartupError(
    `listen.host is ${host}, which others can reach, and no tokens are configured. Configure \`tokens\`, or listen on 127.0.0.1.`,
  );
}

async function tokensOf({ tokens, state_folder }: Config): Promise<{
  known: readonly KnownToken[];
  tokenFile: string | null;
}> {
  if (tokens.length > 0) return { known: tokens, tokenFile: null };
  const { file, token } = await localToken(state_folder);
  return { known: [{ name: "local", sha256: sha256(token).toString("hex") }], tokenFile: file };
}

function ceilingsOf({ placements }: Config) {
  const kinds = placementsOf(placements);
  return Object.fromEntries(kinds.map((kind) => [kind, placements[kind]?.ceiling]));
}

function dockerOptions(docker: Config["placements"]["docker"]) {
  const { host, certificates, apparmor } = docker ?? {};
  return {
    ...(host !== undefined && { host }),
    ...(certificates !== undefined && { certificates }),
    ...(apparmor !== undefined && { apparmor }),
  };
}

async function listen(app: FastifyInstance, { listen: { host, port } }: Config): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    const message = `The service cannot listen on ${host}, port ${port}: ${systemCode(error)}.`;
    throw new StartupError(message, { cause: error });
  }
}
