import { OutworkError, systemCode } from "../errors.ts";
import { type ByteText, shown } from "./byte-text.ts";

/** Why an entry is refused, and what would be allowed. Rules are added, never renamed. */
const RULES = {
  "absolute-path": "is absolute; names are relative to the target folder",
  "parent-segment": "has a `..` segment; names stay below the target folder",
  nul: "has a NUL byte in its name or link",
  "empty-name": "has no name below the target folder",
  "not-utf8": "has an extended name or link that is not UTF-8",
  "name-too-long": "has a name of more than 255 bytes",
  "path-too-long": "has a path or link of more than 4,095 bytes",
  "too-deep": "lies more than 256 folders deep",
  "too-many-entries": "comes after as many entries as one archive may have (1,000,000)",
  "unsupported-type": "is a device, fifo, socket or sparse file, or of an unknown type",
  "link-leads-out": "is a link that is absolute or leads out of the target folder",
  "link-target-missing": "is a hard link to what is not a regular file below the target folder",
  "link-in-path": "goes through a link; every folder on the way must be a real one",
  "type-conflict": "would replace a folder, or put a folder in place of something else",
  shrank: "became shorter while it was read",
  broken: "is followed by neither an entry nor the end mark: the stream is cut short, or no tar",
} as const;

export type Rule = keyof typeof RULES;

/** `entry` is empty before the first one. */
export function refused(entry: ByteText, rule: Rule, cause?: unknown): OutworkError {
  const name = shown(entry);
  const subject = name === "" ? "The archive's start" : `\`${name}\``;
  const options = { facts: { entry: name, rule }, cause };
  return new OutworkError("archive-refused", `${subject} ${RULES[rule]}.`, options);
}

/** A system error in our words, with the path it happened at; anything else as it is. */
export function explained(error: unknown, path: ByteText): unknown {
  const code = systemCode(error);
  if (error instanceof OutworkError || code === undefined) return error;
  const name = shown(path);
  const options = { facts: { path: name, system_code: code }, cause: error };
  switch (code) {
    case "EACCES":
    case "EPERM":
      return new OutworkError("policy-denied", `\`${name}\`: permission denied.`, options);
    case "EROFS":
      return new OutworkError(
        "policy-denied",
        `\`${name}\` is read-only under the policy.`,
        options,
      );
    case "ENOSPC":
    case "EDQUOT":
      return new OutworkError("too-large", `No space is left for \`${name}\`.`, options);
    case "ENOENT":
    case "ENOTDIR":
      return new OutworkError("path-not-found", `\`${name}\` does not exist.`, options);
    case "ENAMETOOLONG":
      return refused(path, "path-too-long", error);
    default:
      return error;
  }
}
