import type { ByteText } from "./byte-text.ts";
import { type Rule, refused } from "./refusal.ts";

/** A chain of folders must fit in open descriptors; no honest tree comes near. */
export const MAX_DEPTH = 256;
/** @see path_resolution(7): NAME_MAX, and PATH_MAX without its NUL */
const MAX_NAME_BYTES = 255;
const MAX_PATH_BYTES = 4_095;

/**
 * The segments of a name below the target folder; none for the target itself.
 * @throws `archive-refused`, when the name is absolute, leads upwards or is too long or deep
 */
export function entryPath(name: ByteText): ByteText[] {
  const segments = name.split("/").filter((segment) => segment !== "" && segment !== ".");
  const rule = brokenRule(name, segments);
  if (rule !== undefined) throw refused(name, rule);
  return segments;
}

function brokenRule(name: ByteText, segments: ByteText[]): Rule | undefined {
  if (name === "") return "empty-name";
  if (name.includes("\0")) return "nul";
  if (name.startsWith("/")) return "absolute-path";
  if (segments.includes("..")) return "parent-segment";
  if (name.length > MAX_PATH_BYTES) return "path-too-long";
  if (segments.some((segment) => segment.length > MAX_NAME_BYTES)) return "name-too-long";
  return segments.length > MAX_DEPTH ? "too-deep" : undefined;
}

/**
 * Checks a symbolic link at `path`. `..` is allowed in front only, where each one stands for a real
 * folder; after a name, which may itself be a link, it could lead anywhere.
 */
export function checkSymlink(entry: ByteText, path: ByteText[], target: ByteText): void {
  if (target === "") throw refused(entry, "empty-name");
  if (target.includes("\0")) throw refused(entry, "nul");
  if (target.length > MAX_PATH_BYTES) throw refused(entry, "path-too-long");
  const steps = target.split("/").filter((step) => step !== "" && step !== ".");
  const firstName = steps.findIndex((step) => step !== "..");
  const rises = firstName === -1 ? steps.length : firstName;
  const leadsOut =
    target.startsWith("/") || rises > path.length - 1 || steps.lastIndexOf("..") >= rises;
  if (leadsOut) throw refused(entry, "link-leads-out");
}
