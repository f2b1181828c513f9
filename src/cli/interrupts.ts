import nodeProcess from "node:process";
import type { RemoteProcess } from "../client/index.ts";

/** A second interrupt within this time ends the command. */
const SECOND_WITHIN_MS = 2_000;

interface InterruptOptions {
  readonly signal: AbortSignal;
  /** The user wants out, whatever becomes of the command. */
  readonly leave: () => void;
  readonly failed: (what: string, error: unknown) => void;
}

/**
 * Passes our own signals on while a command runs: the first SIGINT as SIGINT, a second one soon
 * after ends the command, a third one leaves it. SIGTERM ends it, SIGHUP is passed on.
 */
export function forwardSignals(process: RemoteProcess, options: InterruptOptions): Disposable {
  const { signal, leave, failed } = options;
  let interruptedAt = Number.NEGATIVE_INFINITY;
  let ending = false;
  const pass = (name: "SIGINT" | "SIGHUP") => {
    process.signal(name, { signal }).catch((error: unknown) => failed(name, error));
  };
  const end = () => {
    ending = true;
    process.terminate({ signal }).catch((error: unknown) => failed("the end", error));
  };
  const handlers = {
    SIGINT: () => {
      if (ending) return leave();
      const second = performance.now() - interruptedAt <= SECOND_WITHIN_MS;
      interruptedAt = performance.now();
      return second ? end() : pass("SIGINT");
    },
    SIGTERM: end,
    SIGHUP: () => pass("SIGHUP"),
  };
  const entries = Object.entries(handlers);
  for (const [name, handler] of entries) nodeProcess.on(name, handler);
  return {
    [Symbol.dispose]() {
      for (const [name, handler] of entries) nodeProcess.off(name, handler);
    },
  };
}
