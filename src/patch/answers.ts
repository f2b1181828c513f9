/** A raw patch where a command was expected: exec_command runs nothing and says this. */
export const RAW_PATCH_TEXT =
  "apply_patch verification failed: patch detected without explicit call to apply_patch. " +
  'Rerun as ["apply_patch", "<patch>"]';

/** What a patch can end in without having been applied, besides what is wrong with it. */
export const REJECTIONS = {
  byUser: "patch rejected by user",
  outsideProject:
    "patch rejected: writing outside of the project; rejected by user approval settings",
  readOnly:
    "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings",
} as const;

export function blockedByHook(reason: string, patch: string): string {
  return `Command blocked by PreToolUse hook: ${reason}. Command: ${patch}`;
}

/** What the tool answers once it has begun to apply a patch. */
export function toolText(exitCode: number, seconds: number, output: string): string {
  return `Exit code: ${exitCode}\nWall time: ${tenths(seconds)} seconds\nOutput:\n${output}`;
}

/** What exec_command answers for a patch that it applied instead of starting a command. */
export function interceptedText(answer: { text: string; exit_code: number | null }): string {
  const header = answer.exit_code === 0 ? "Wall time: 0.0000 seconds\nOutput:\n" : "";
  return header + answer.text;
}

/** One decimal, and none when it would be zero. */
function tenths(seconds: number): string {
  return String(Math.round(seconds * 10) / 10);
}
