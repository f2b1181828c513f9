import { encodeBase64 } from "../base64.ts";
import type { ProcessEvent } from "../ports.ts";
import type { ManagedProcess } from "../session/managed-process.ts";
import type { Outbox } from "./outbox.ts";

/**
 * Passes the events of one process on, in order and at the pace of the client: while it does not
 * read, the next event is not taken.
 */
export async function pump(
  process: ManagedProcess,
  afterSeq: number,
  { outbox, signal }: { readonly outbox: Outbox; readonly signal: AbortSignal },
): Promise<void> {
  for await (const event of process.started.events({ afterSeq, signal })) {
    await outbox.room();
    if (signal.aborted) return;
    outbox.notify(`process/${event.type}`, paramsOf(event, process));
  }
}

function paramsOf(event: ProcessEvent, { id, sandboxDenied }: ManagedProcess): object {
  const { seq } = event;
  switch (event.type) {
    case "output":
      return { processId: id, seq, stream: event.stream, chunk: encodeBase64(event.bytes) };
    case "exited":
      return { processId: id, seq, exitCode: event.exitCode, sandboxDenied };
    case "closed":
      return { processId: id, seq };
  }
}
