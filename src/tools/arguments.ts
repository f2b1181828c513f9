import { z } from "zod";
import { ExecCommand, type WriteStdinTool } from "../contract/tools.ts";
import { OutworkError } from "../errors.ts";
import { JsonCursor, JsonError } from "./json/cursor.ts";
import { object } from "./json/object.ts";
import { flag, integer, list, type Reader, text, variant } from "./json/readers.ts";
import { skipValue } from "./json/skip.ts";

const u64 = integer("u64", 0n, 2n ** 64n - 1n);
const usize = integer("usize", 0n, 2n ** 64n - 1n);
const i32 = integer("i32", -(2n ** 31n), 2n ** 31n - 1n);

/** Asked of whoever approves, not of the executor: checked, and left out of what is parsed. */
const approval = {
  sandbox_permissions: variant(["use_default", "require_escalated", "with_additional_permissions"]),
  additional_permissions: object("AdditionalPermissionProfile", {
    required: {},
    optional: {
      network: object("NetworkPermissions", { required: {}, optional: { enabled: flag } }),
      file_system: object("FileSystemPermissions", {
        required: {},
        optional: { read: list(text), write: list(text) },
      }),
    },
  }),
  justification: text,
  prefix_rule: list(text),
};

const execCommand = object("ExecCommandArgs", {
  required: { cmd: text },
  optional: {
    workdir: text,
    tty: flag,
    yield_time_ms: u64,
    max_output_tokens: usize,
    shell: text,
    login: flag,
    environment_id: text,
    policy: checked("policy", ExecCommand.shape.policy),
    reserved_session_ids: checked("reserved_session_ids", ExecCommand.shape.reserved_session_ids),
    ...approval,
  },
});

const writeStdin = object("WriteStdinArgs", {
  required: { session_id: i32 },
  optional: { chars: text, yield_time_ms: u64, max_output_tokens: usize },
});

/**
 * Parses the arguments that a model wrote for `exec_command`.
 * @throws `tool-failed` with the one line that the model should read
 * @throws `validation-failed` for a member that is the harness's, not the model's
 */
export function parseExecCommand(raw: string): ExecCommand {
  const parsed = parse(raw, execCommand);
  const dropped = Object.keys(approval);
  const kept = Object.entries(parsed).filter(([key]) => !dropped.includes(key));
  return { cmd: parsed.cmd, ...Object.fromEntries(kept) };
}

/**
 * Parses the arguments that a model wrote for `write_stdin`.
 * @throws `tool-failed` with the one line that the model should read
 */
export function parseWriteStdin(raw: string): WriteStdinTool {
  return parse(raw, writeStdin);
}

function parse<T>(raw: string, read: Reader<T>): T {
  try {
    const cursor = new JsonCursor(raw);
    const value = read(cursor);
    if (cursor.token() !== "") cursor.failAhead("trailing characters");
    return value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const line = `failed to parse function arguments: ${error.message}`;
    throw new OutworkError("tool-failed", line, { cause: error });
  }
}

function checked<T>(name: string, schema: z.ZodType<T>): Reader<T> {
  return (cursor) => {
    cursor.token();
    const value: unknown = JSON.parse(cursor.over(() => skipValue(cursor)));
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    const { issues } = result.error;
    const message = `\`${name}\` is not valid: ${z.prettifyError(result.error)}`;
    throw new OutworkError("validation-failed", message, { facts: { issues } });
  };
}
