import type { Output } from "./command.ts";

const CODES = { green: 32, red: 31, yellow: 33, bold: 1 } as const;

export type Paint = (colour: keyof typeof CODES, text: string) => string;

/** Colours for a terminal, unless `NO_COLOR` is set or the terminal is dumb. */
export function painter(stream: Output, variables: NodeJS.ProcessEnv): Paint {
  const plain = !stream.isTTY || Boolean(variables.NO_COLOR) || variables.TERM === "dumb";
  return (colour, text) => (plain ? text : `\x1b[${CODES[colour]}m${text}\x1b[0m`);
}
