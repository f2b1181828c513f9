import { randomBytes } from "node:crypto";

/** Thirty-two, so that a byte falls on each equally often; none that is easily misread. */
const LETTERS = "abcdefghjkmnpqrstvwxyz0123456789";
const LENGTH = 16;

/** `PREFIX_` and 16 random letters and digits: 80 bits. */
export function randomName(prefix: string): string {
  const letters = Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte % LETTERS.length]);
  return `${prefix}_${letters.join("")}`;
}
