import type { Flag, Flags } from "./command.ts";

/** Flags that every command takes, before or after its name. */
export const GLOBAL_FLAGS = {
  url: { value: "URL", help: "The service. Default: OUTWORK_URL, else the one on this machine." },
  "token-file": {
    value: "FILE",
    help: "File with the token. Default: OUTWORK_TOKEN, else the local one.",
  },
  help: { short: "h", help: "Explain this command." },
} as const satisfies Flags;

/** For commands that print something a program may want to read. */
export const JSON_FLAG = { help: "Print JSON." } as const satisfies Flag;
