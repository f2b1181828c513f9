import { PatchSyntaxError } from "../failure.ts";

/** What can be wrong with a patch's text, in the words that models know. */
export const syntax = {
  firstLine: () =>
    new PatchSyntaxError("The first line of the patch must be '*** Begin Patch'", null),

  lastLine: () => new PatchSyntaxError("The last line of the patch must be '*** End Patch'", null),

  environmentEmpty: () => new PatchSyntaxError("apply_patch environment_id cannot be empty", null),

  environmentTwice: () =>
    new PatchSyntaxError("apply_patch environment_id cannot be specified more than once", null),

  header: (line: number, text: string) =>
    new PatchSyntaxError(
      `'${text}' is not a valid hunk header. Valid hunk headers: '*** Add File: {path}', ` +
        "'*** Delete File: {path}', '*** Update File: {path}'",
      line,
    ),

  updateEmpty: (line: number, path: string) =>
    new PatchSyntaxError(`Update file hunk for path '${path}' is empty`, line),

  chunkEmpty: (line: number) =>
    new PatchSyntaxError("Update hunk does not contain any lines", line),

  unexpectedLine: (line: number, text: string) =>
    new PatchSyntaxError(
      `Unexpected line found in update hunk: '${text}'. Every line should start with ` +
        "' ' (context line), '+' (added line), or '-' (removed line)",
      line,
    ),

  chunkExpected: (line: number, text: string) =>
    new PatchSyntaxError(
      `Expected update hunk to start with a @@ context marker, got: '${text}'`,
      line,
    ),
};
