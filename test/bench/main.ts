import { cpus, release } from "node:os";
import type { Outwork } from "../../src/client/index.ts";
import type { ServiceProcess } from "../../src/quickstart/service-process.ts";
import { withThrowawayService } from "../../src/quickstart/throwaway.ts";
import { execServerComparison } from "./exec-server.ts";
import { patchTable } from "./patches.ts";
import { latencyRows, lifecycleRows, outputRows, rateRows } from "./scenes.ts";
import { dockerSubject, embeddedSubject, type Subject } from "./subject.ts";
import { type Row, table } from "./table.ts";

const IMAGE = "outwork-test-debian:latest";

/** A placement under measurement. What is wanted of a command: times of the bare call. */
interface Place {
  readonly name: string;
  readonly spec: { readonly placement: "embedded" | "docker"; readonly image?: string };
  readonly subject: (id: string) => Promise<Subject>;
  readonly wanted: {
    readonly times: number;
    readonly createMs: number;
    readonly idleMib?: number;
  };
}

function placesOf(outwork: Outwork, { stateFolder }: ServiceProcess): Place[] {
  return [
    {
      name: "embedded",
      spec: { placement: "embedded" },
      subject: (id) => embeddedSubject(outwork.environment(id), stateFolder),
      wanted: { times: 1.5, createMs: 100 },
    },
    {
      name: "docker",
      spec: { placement: "docker", image: IMAGE },
      subject: (id) => dockerSubject(outwork.environment(id)),
      wanted: { times: 0.2, createMs: 600, idleMib: 12 },
    },
  ];
}

async function* rowsOf(outwork: Outwork, service: ServiceProcess): AsyncGenerator<Row[]> {
  for (const { name, spec, subject: subjectOf, wanted } of placesOf(outwork, service)) {
    await outwork.environments.create({ ...spec, id: name });
    const subject = await subjectOf(name);
    yield latencyRows(name, subject, wanted.times);
    yield rateRows(name, subject);
    yield outputRows(name, subject, service.pid);
    await outwork.environments.remove(name);
    const pidsOf = async (id: string) => (await subjectOf(id)).pids();
    yield lifecycleRows(name, outwork, spec, pidsOf, wanted);
  }
}

/** Figures of one run, side by side: compare rows, not machines. */
async function toolsTable(): Promise<string> {
  const rows: Row[] = [];
  await withThrowawayService(["embedded", "docker"], async (service) => {
    await service.start();
    await using outwork = await service.client();
    for await (const some of rowsOf(outwork, service)) {
      console.error(`measured ${some.at(-1)?.what}`);
      rows.push(...some);
    }
  });
  return table(rows);
}

const TABLES = {
  tools: toolsTable,
  "exec-server": () => execServerComparison(IMAGE),
  patches: patchTable,
};

const [cpu] = cpus();
const machine = `${cpus().length} × ${cpu?.model.trim()}, Linux ${release()}`;
console.log(`${machine}, Node ${process.version}`);
const [, , only] = process.argv;
for (const [name, measured] of Object.entries(TABLES)) {
  if (only === undefined || only === name) console.log(`\n${await measured()}`);
}
