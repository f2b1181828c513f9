import type { Logger } from "pino";
import { compose } from "./compose.ts";
import type { Config } from "./config.ts";
import { asError } from "./errors.ts";

/** A stop that takes longer than this is given up. */
const STOP_MS = 30_000;

/** A service of this process. */
export interface RunningService {
  readonly url: string;
  /** File with the token to call it with; null: tokens are configured. */
  readonly tokenFile: string | null;
  /** Resolves after SIGTERM, SIGINT or `stop`, when nothing is open any more. */
  readonly stopped: Promise<void>;
  /** Answers what is in flight, then ends. Environments run on. */
  stop(): Promise<void>;
}

/**
 * Starts the service of this process, which SIGTERM and SIGINT then stop.
 * @throws StartupError why it does not start
 */
export async function serve(config: Config): Promise<RunningService> {
  const service = await compose(config);
  const { url, tokenFile, log } = service;
  process.on("unhandledRejection", (reason) => {
    log.error({ err: asError(reason) }, "failure that nobody waited for");
  });
  log.info({ url, stateFolder: config.state_folder }, "service started");

  let resolveStopped = (_: Promise<void>) => {};
  const stopped = new Promise<void>((resolve) => {
    resolveStopped = resolve;
  });
  let begun = false;
  const stop = () => {
    if (!begun) {
      begun = true;
      log.info({}, "service stopping");
      resolveStopped(within(STOP_MS, service[Symbol.asyncDispose](), log));
    }
    return stopped;
  };
  process.on("SIGTERM", () => void stop());
  // The second Ctrl-C is for those who will not wait.
  process.once("SIGINT", () => void stop());
  return { url, tokenFile, stopped, stop };
}

/** Ends the process if `stopping` takes too long: what holds it up would hold it up for ever. */
async function within(ms: number, stopping: PromiseLike<void>, log: Logger): Promise<void> {
  const timer = setTimeout(() => {
    log.error({ ms }, "service did not stop in time");
    process.exit(1);
  }, ms);
  try {
    await stopping;
  } finally {
    clearTimeout(timer);
  }
}
