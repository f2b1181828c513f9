import { pathToFileURL } from "node:url";
import { workspaceWrite } from "../support/exec-server/sandbox.ts";
import type { ExecServerSubject } from "./exec-server-subjects.ts";
import { ExecServerWire } from "./exec-server-wire.ts";
import { latency, rate, timeOf } from "./measure.ts";
import { peakMib, proportionalMib } from "./memory.ts";

const CALLS = 200;
const FILE_CALLS = 50;
const OUTPUT_BYTES = 500_000_000;
const TRUE = ["/bin/true"];

/** One figure of one server. */
export interface Figure {
  readonly what: string;
  readonly unit: "ms" | "commands/s" | "MB/s" | "MiB";
  readonly figure: number;
  readonly p99?: number;
}

/** Everything about one server, in the order of the table. */
export async function figuresOf(subject: ExecServerSubject): Promise<readonly Figure[]> {
  const idle = proportionalMib(await subject.pids());
  const wire = await ExecServerWire.open(subject.url);
  try {
    return [
      ...(await commandFigures(wire, subject)),
      ...(await fileFigures(wire, subject)),
      await outputFigure(wire, subject),
      { what: "memory, idle", unit: "MiB", figure: idle },
      { what: "memory, all peaks together", unit: "MiB", figure: await peaks(subject) },
    ];
  } finally {
    wire.close();
  }
}

function places({ folder }: ExecServerSubject) {
  const cwd = pathToFileURL(folder).href;
  return {
    open: { cwd, sandbox: null },
    held: { cwd, sandbox: workspaceWrite("restricted", cwd) },
  };
}

async function commandFigures(wire: ExecServerWire, subject: ExecServerSubject): Promise<Figure[]> {
  const { open, held } = places(subject);
  const figures: Figure[] = [];
  for (const [what, place] of [
    ["true, no sandbox asked for", open],
    ["true, workspace-write", held],
  ] as const) {
    const { medianMs, p99Ms } = await latency(CALLS, () => wire.run(TRUE, place));
    figures.push({ what, unit: "ms", figure: medianMs, p99: p99Ms });
  }
  for (const concurrency of [1, 8, 32]) {
    const what = `workspace-write, ${concurrency} at a time`;
    const figure = await rate(CALLS, concurrency, () => wire.run(TRUE, held));
    figures.push({ what, unit: "commands/s", figure });
  }
  return figures;
}

async function fileFigures(wire: ExecServerWire, subject: ExecServerSubject): Promise<Figure[]> {
  const { sandbox } = places(subject).held;
  const path = pathToFileURL(`${subject.folder}/bench-file`).href;
  const figures: Figure[] = [];
  for (const [size, bytes] of [
    ["1 KB", 1_000],
    ["10 MB", 10_000_000],
  ] as const) {
    const dataBase64 = Buffer.alloc(bytes, "x").toString("base64");
    const write = await latency(FILE_CALLS, () =>
      wire.call("fs/writeFile", { path, dataBase64, sandbox }),
    );
    const read = await latency(FILE_CALLS, () => wire.call("fs/readFile", { path, sandbox }));
    for (const [name, { medianMs, p99Ms }] of Object.entries({
      writeFile: write,
      readFile: read,
    })) {
      figures.push({ what: `fs/${name} of ${size}`, unit: "ms", figure: medianMs, p99: p99Ms });
    }
  }
  return figures;
}

async function outputFigure(wire: ExecServerWire, subject: ExecServerSubject): Promise<Figure> {
  const argv = ["head", "-c", String(OUTPUT_BYTES), "/dev/zero"];
  let bytes = 0;
  const ms = await timeOf(async () => {
    bytes = await wire.run(argv, places(subject).open);
  });
  if (bytes !== OUTPUT_BYTES) throw new Error(`${bytes} of ${OUTPUT_BYTES} bytes came`);
  return { what: "output of one command", unit: "MB/s", figure: bytes / 1000 / ms };
}

async function peaks(subject: ExecServerSubject): Promise<number> {
  return (await subject.pids()).reduce((sum, pid) => sum + peakMib(pid), 0);
}
