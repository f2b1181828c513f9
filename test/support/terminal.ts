import { once } from "node:events";
import type { TestContext } from "node:test";
import { type IPty, spawn } from "@lydell/node-pty";
import type { FakeProcess } from "./fake-process.ts";
import { cliArgv, cliVariables } from "./outwork-cli.ts";

/** A command line on a terminal, and all that it showed. */
export interface OnTerminal {
  readonly pty: IPty;
  /** Its exit code. */
  readonly ended: Promise<number>;
  /** Resolves once this text has been shown. */
  showing(text: string | RegExp): Promise<void>;
  shown(): string;
}

/** Runs the built command line on a terminal of 30 rows and 100 columns. */
export function onTerminal(
  t: TestContext,
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): OnTerminal {
  const [program, ...rest] = cliArgv(args);
  const env = cliVariables({ TERM: "xterm", ...variables }) as Record<string, string>;
  const pty: IPty = spawn(program, rest, { rows: 30, cols: 100, env });
  let shown = "";
  let look = () => {};
  pty.onData((text) => {
    shown += text;
    look();
  });
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)));
  t.after(() => pty.kill("SIGKILL"));
  const showing = (text: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      ended.then(() => reject(new Error(`ended without showing ${text}: ${shown}`)), reject);
      look = () => {
        if (typeof text === "string" ? shown.includes(text) : text.test(shown)) resolve();
      };
      look();
    });
  return { pty, ended, showing, shown: () => shown };
}

/** Resolves once `ready` holds for the process, which changes from outside. */
export async function until(process: FakeProcess, ready: () => boolean): Promise<void> {
  while (!ready()) await once(process.changes, "input");
}
