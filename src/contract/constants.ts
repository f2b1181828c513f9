/*
 * Numbers and names that both ends share and that need no schema. The agent takes these and the types
 * of its neighbours alone: a schema library would double what an idle environment weighs.
 */

/** Output kept for late readers, in bytes per process, unless the start asks otherwise. */
export const RETAINED_BYTES = 1_048_576;
/** The most that a start may ask to have kept. */
export const MAX_RETAINED_BYTES = 67_108_864;
/** The default and the largest output budget of a tool call, in tokens of four bytes. */
export const MAX_OUTPUT_TOKENS = 10_000;

/** Where the agent keeps its own things inside an environment; never visible to commands. */
export const AGENT_FOLDER = "/.outwork";
/** Programs for commands (`rg`, …), read-only, in front of their `PATH`. */
export const COMMAND_BIN_FOLDER = "/.outwork/bin";
/** Makes its connection one of the exec-server protocol, from the answer on. */
export const EXEC_SERVER_METHOD = "outwork/exec-server";
/** Not a request: the caller of request `id` has gone. It gets no answer. */
export const CANCEL_METHOD = "outwork/cancel";
