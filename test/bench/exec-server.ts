import { figuresOf } from "./exec-server-scenes.ts";
import { startOurs, startReference } from "./exec-server-subjects.ts";
import { type Column, comparison } from "./exec-server-table.ts";

/** The exec-server protocol served by Codex itself and by us: one run, one table. */
export async function execServerComparison(image: string): Promise<string> {
  const [[reference], stopReference] = await startReference();
  const [ours, stopOurs] = await startOurs(image);
  if (reference === undefined) throw new Error("there is no reference");
  try {
    const first = { name: reference.name, figures: await figuresOf(reference) };
    const columns: [Column, ...Column[]] = [first];
    for (const subject of ours) {
      console.error(`measuring the exec-server of ${subject.name}`);
      columns.push({ name: subject.name, figures: await figuresOf(subject) });
    }
    return comparison(columns);
  } finally {
    await Promise.all([stopReference(), stopOurs()]);
  }
}
