import type { Outwork, RemoteEnvironment } from "../../src/client/index.ts";
import type { CreateEnvironment } from "../../src/contract/environment.ts";
import { latency, quantile, rate, timeOf } from "./measure.ts";
import { peakMib, proportionalMib } from "./memory.ts";
import type { Subject } from "./subject.ts";
import type { Row } from "./table.ts";

const CALLS = 200;
const OUTPUT_BYTES = 500_000_000;
const LAUNCHES = 10;
/** Commands per second, by how many run at a time. */
const WANTED_RATES: Readonly<Record<number, number>> = { 8: 150 };
const WANTED_OUTPUT = 200;

/** `true` through the service, and bare in the same place. */
export async function latencyRows(name: string, subject: Subject, wanted: number): Promise<Row[]> {
  const { bareName, unfiltered } = subject;
  const bare = await latency(CALLS, subject.bare);
  const ours = await latency(CALLS, () => runTrue(subject.environment));
  return [
    ...(unfiltered === null ? [] : [await unfilteredRow(bareName, unfiltered)]),
    { what: `${bareName}: true`, figure: bare.medianMs, p99: bare.p99Ms, unit: "ms" },
    {
      what: `${name}: exec_command of true`,
      figure: ours.medianMs,
      p99: ours.p99Ms,
      unit: "ms",
      wanted: wanted * bare.medianMs,
    },
  ];
}

async function unfilteredRow(bareName: string, unfiltered: () => Promise<void>): Promise<Row> {
  const { medianMs, p99Ms } = await latency(CALLS, unfiltered);
  return { what: `${bareName}, no filter: true`, figure: medianMs, p99: p99Ms, unit: "ms" };
}

/** Commands per second at several widths. */
export async function rateRows(name: string, subject: Subject): Promise<Row[]> {
  const rows: Row[] = [];
  for (const concurrency of [1, 8, 32]) {
    const what = `${concurrency} at a time`;
    const bare = await rate(CALLS, concurrency, subject.bare);
    rows.push({ what: `${subject.bareName}: ${what}`, figure: bare, unit: "commands/s" });
    const ours = await rate(CALLS, concurrency, () => runTrue(subject.environment));
    const row = { what: `${name}: exec_command, ${what}`, figure: ours } as const;
    rows.push({ ...row, unit: "commands/s", ...wanting(WANTED_RATES[concurrency]) });
  }
  return rows;
}

async function runTrue(environment: RemoteEnvironment): Promise<void> {
  const { exit_code } = await environment.execCommand({ cmd: "true", login: false });
  if (exit_code !== 0) throw new Error(`true ended with ${exit_code}`);
}

/** One process that prints as fast as it is read, and what service and agent take meanwhile. */
export async function outputRows(
  name: string,
  { environment, pids }: Subject,
  servicePid: number,
): Promise<Row[]> {
  const argv = ["head", "-c", String(OUTPUT_BYTES), "/dev/zero"];
  const process = await environment.start({ argv, back_pressure: "reader" });
  let bytes = 0;
  const ms = await timeOf(async () => {
    for await (const event of process.output()) {
      if (event.type === "output") bytes += event.chunk.length;
    }
  });
  if (bytes !== OUTPUT_BYTES) throw new Error(`${bytes} of ${OUTPUT_BYTES} bytes came`);
  const agentMib = Math.max(...(await pids()).map(peakMib));
  return [
    {
      what: `${name}: output of one process`,
      figure: bytes / 1000 / ms,
      unit: "MB/s",
      wanted: WANTED_OUTPUT,
    },
    { what: "  the service at most", figure: peakMib(servicePid), unit: "MiB" },
    { what: "  the environment's largest process at most", figure: agentMib, unit: "MiB" },
  ];
}

/** Making environments, having them do nothing, and removing them. */
export async function lifecycleRows(
  name: string,
  { environments }: Outwork,
  spec: CreateEnvironment,
  pidsOf: (id: string) => Promise<readonly number[]>,
  wanted: { readonly createMs: number; readonly idleMib?: number },
): Promise<Row[]> {
  const ids = Array.from({ length: LAUNCHES }, (_, at) => `bench-${name}-${at}`);
  const created: number[] = [];
  for (const id of ids) created.push(await timeOf(() => environments.create({ ...spec, id })));
  const idle = await Promise.all(ids.map(async (id) => proportionalMib(await pidsOf(id))));
  const removed: number[] = [];
  for (const id of ids) removed.push(await timeOf(() => environments.remove(id)));
  return [
    { ...time(`${name}: create`, created), wanted: wanted.createMs },
    time(`${name}: remove`, removed),
    {
      what: `${name}: idle environment, of ${LAUNCHES}`,
      figure: quantile(idle, 0.5),
      unit: "MiB",
      ...wanting(wanted.idleMib),
    },
  ];
}

function time(what: string, times: readonly number[]): Row {
  return { what, figure: quantile(times, 0.5), p99: quantile(times, 0.99), unit: "ms" };
}

function wanting(wanted: number | undefined): Pick<Row, "wanted"> {
  return wanted === undefined ? {} : { wanted };
}
