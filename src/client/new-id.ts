import { randomInt } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";
const LENGTH = 16;

/**
 * An id made by the client, so that a request whose answer was lost can be sent again and still
 * happens once: `env_`, `proc_` or `write_`, and 16 random letters and digits.
 */
export function newId(prefix: "env" | "proc" | "write"): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${prefix}_${letters.join("")}`;
}
