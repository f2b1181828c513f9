import { Signals } from "../../src/quickstart/signals.ts";
import { figuresOf } from "./exec-server-scenes.ts";
import { type ExecServerSubject, startOurs, startReference } from "./exec-server-subjects.ts";
import { type Column, comparison } from "./exec-server-table.ts";

/** The exec-server protocol served by Codex itself and by us: one run, one table. */
export async function execServerComparison(image: string): Promise<string> {
  const signals = new Signals();
  const [references, stopReference] = await startReference();
  const [ours, stopOurs] = await startOurs(image);
  try {
    return await Promise.race([compared([...references, ...ours]), signals.interruption]);
  } finally {
    await Promise.all([stopReference(), stopOurs()]);
    signals.release();
  }
}

async function compared(subjects: readonly ExecServerSubject[]): Promise<string> {
  const columns: Column[] = [];
  for (const subject of subjects) {
    console.error(`measuring the exec-server of ${subject.name}`);
    columns.push({ name: subject.name, figures: await figuresOf(subject) });
  }
  const [reference, ...others] = columns;
  if (reference === undefined) throw new Error("there is no reference");
  return comparison([reference, ...others]);
}
