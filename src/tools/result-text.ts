import type { ToolResult } from "../contract/tools.ts";
import { interceptedText } from "../patch/answers.ts";

/** The exact text that a model reads for a result. */
export function resultText(result: ToolResult): string {
  const { applied_patch, output } = result;
  if (applied_patch) return interceptedText({ ...applied_patch, text: output });
  return [
    `Chunk ID: ${result.chunk_id}`,
    `Wall time: ${result.wall_time_seconds.toFixed(4)} seconds`,
    stateLine(result),
    `Original token count: ${result.original_token_count}`,
    "Output:",
    output,
  ].join("\n");
}

function stateLine({ exit_code, session_id }: ToolResult): string {
  return exit_code === undefined
    ? `Process running with session ID ${session_id}`
    : `Process exited with code ${exit_code}`;
}
