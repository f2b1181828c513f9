import type { OutputEvent } from "../../src/contract/index.ts";

/** An event as the record that an agent sends. */
export function recordOf(event: OutputEvent): Uint8Array {
  if (event.type !== "output") return Buffer.from(`${JSON.stringify(event)}\n`);
  const { chunk, ...rest } = event;
  const bytes = Buffer.from(chunk, "base64");
  const header = JSON.stringify({ ...rest, bytes: bytes.length });
  return Buffer.concat([Buffer.from(`${header}\n`), bytes]);
}

export function outputEvent(seq: number, bytes: Uint8Array, offset = 0): OutputEvent {
  const chunk = Buffer.from(bytes).toString("base64");
  return { type: "output", seq, stream: "stdout", offset, chunk };
}

/** A process that printed `bytes` and exited with 0. */
export function finishedProcess(bytes: Uint8Array): OutputEvent[] {
  return [
    outputEvent(1, bytes),
    { type: "exited", seq: 2, exit_code: 0, cause: "exited" },
    { type: "closed", seq: 3, total_bytes: bytes.length, dropped_bytes: 0 },
  ];
}
