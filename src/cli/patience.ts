import type { Flags, FlagValues } from "./command.ts";
import { milliseconds } from "./quantity.ts";

const DEFAULT_PATIENCE = "5m";

/** For commands that follow a process over broken connections. */
export const PATIENCE_FLAG = {
  patience: {
    value: "TIME",
    help: `Give up when the service is away for this long. Default: ${DEFAULT_PATIENCE}.`,
  },
} as const satisfies Flags;

export function patienceMs({ patience }: FlagValues<typeof PATIENCE_FLAG>): number {
  return milliseconds("--patience", patience ?? DEFAULT_PATIENCE);
}
