import { OutworkError } from "../errors.ts";

/**
 * A patch that cannot be read. `message` is what the program prints; the tool words the same
 * detail its own way.
 */
export class PatchSyntaxError extends OutworkError {
  /** Counts from 1 at the line that begins the patch; null when the patch as a whole is wrong. */
  readonly line: number | null;
  readonly detail: string;

  constructor(detail: string, line: number | null = null) {
    const where = line === null ? "Invalid patch: " : `Invalid patch hunk on line ${line}: `;
    super("tool-failed", where + detail, { facts: { rule: "patch-syntax", line } });
    this.line = line;
    this.detail = detail;
  }

  get toolText(): string {
    const where = this.line === null ? "invalid patch: " : `invalid hunk at line ${this.line}, `;
    return where + this.detail;
  }
}

/** A patch that was read but cannot be applied. `message` is what program and tool say. */
export class PatchApplyError extends OutworkError {
  constructor(message: string, path: string, options: { rule: string; cause?: unknown }) {
    super("tool-failed", message, {
      facts: { rule: options.rule, path },
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
  }
}
