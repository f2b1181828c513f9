import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { OutputRecord } from "../../../src/wire/output-records.ts";
import { eventually } from "../../support/host-processes.ts";
import type { TestEnvironment } from "../../support/placement-environment.ts";
import { type Target, useEnvironment } from "../../support/placement-target.ts";
import { checkAccount, follow, patience } from "../../support/run.ts";

const MEBIBYTE = 1_048_576;
const PRINTED = 64 * MEBIBYTE;
/** Everything between a process and a reader that takes nothing: log, sockets, queues. */
const IN_BETWEEN = 16 * MEBIBYTE;

/** Prints what has a known sum and no two equal parts. */
const PRINT = `perl -e 'my $line = 0; for (1 .. ${PRINTED / 64}) { printf "%063d\\n", $line++ }'`;

export function backPressure(target: Target): void {
  describe("back-pressure", { concurrency: 4 }, () => {
    const environment = useEnvironment(target);

    test("OU-08: who waits for readers gives a slow one every byte", async () => {
      const process = await environment().startSh(PRINT, { back_pressure: "reader" });
      const hash = createHash("sha256");
      const events: OutputRecord[] = [];
      let slowUntil = 40;
      for await (const event of follow(environment().agent, process.process_id)) {
        if (event.type === "output") hash.update(event.bytes);
        events.push(event);
        if (slowUntil-- > 0) await sleep(20);
      }
      checkAccount(events);
      assert.equal(textLength(events), PRINTED);
      assert.equal(hash.digest("hex"), expectedSum());
    });

    test("OU-08: who does not wait tells a slow reader what it missed", async () => {
      const process = await environment().startSh(PRINT);
      const events: OutputRecord[] = [];
      let position = 0;
      for await (const event of follow(environment().agent, process.process_id)) {
        if (event.type === "output") {
          assert.equal(event.bytes.toString("latin1"), partOf(position, event.bytes.length));
          position += event.bytes.length;
        } else if (event.type === "omitted") position = event.resume_offset;
        events.push(event);
        if (events.length < 20) await sleep(30);
      }
      checkAccount(events);
      assert.equal(position, PRINTED);
    });

    test("a reader that takes nothing stalls the process, and one that takes its place frees it", async () => {
      const process = await environment().startSh(PRINT, {
        back_pressure: "reader",
        retained_bytes: 4 * MEBIBYTE,
      });
      const leaving = new AbortController();
      const { signal } = leaving;
      const stalled = follow(environment().agent, process.process_id, 0, { signal });
      await stalled.next();
      const printed = await standstill(environment(), process.process_id);
      assert.ok(printed < IN_BETWEEN, `${printed} bytes`);
      leaving.abort();
      const rest = await environment().readToEnd(process);
      assert.equal(textLength(rest.events), PRINTED);
    });

    test("a reader that is cut off goes on after its last event, and misses nothing", async () => {
      const process = await environment().startSh(PRINT, { back_pressure: "reader" });
      const events: OutputRecord[] = [];
      for (let cut = 0; events.at(-1)?.type !== "closed"; cut += 1) {
        const last = events.at(-1);
        const seq = last === undefined || last.type === "omitted" ? 0 : last.seq;
        const leaving = new AbortController();
        const { signal } = leaving;
        let taken = 0;
        try {
          for await (const event of follow(environment().agent, process.process_id, seq, {
            signal,
          })) {
            events.push(event);
            taken += 1;
            if (cut < 5 && taken > 40) leaving.abort();
          }
        } catch (error) {
          assert.ok(signal.aborted, String(error));
        }
      }
      checkAccount(events);
      assert.equal(textLength(events), PRINTED);
    });

    test("a process that is stalled can be ended, and what it printed be read", async () => {
      const process = await environment().startSh(`${PRINT}; sleep 600`, {
        back_pressure: "reader",
      });
      await standstill(environment(), process.process_id);
      assert.equal(await environment().terminate(process), true);
      const { exitCode, cause } = await environment().readToEnd(process);
      assert.deepEqual({ exitCode, cause }, { exitCode: 137, cause: "terminated" });
    });

    test("a stalled reader of one process slows no other", async () => {
      const process = await environment().startSh(PRINT, { back_pressure: "reader" });
      const { agent } = environment();
      const params = { process_id: process.process_id, after_seq: 0 };
      const leaving = new AbortController();
      await agent.read("outwork/process/output", params, { signal: leaving.signal });
      const other = await environment().sh("head -c 20971520 /dev/zero | wc -c");
      assert.equal(other.stdout.trim(), "20971520");
      await agent.call("outwork/hello", {}, patience());
      leaving.abort();
      await environment().terminate(process);
    });
  });
}

/** Bytes that reached the reader. */
function textLength(events: readonly OutputRecord[]): number {
  return events.reduce((sum, event) => sum + (event.type === "output" ? event.bytes.length : 0), 0);
}

/** Waits until a running process prints no more; how much it has printed. */
async function standstill(environment: TestEnvironment, process_id: string): Promise<number> {
  let printed = -1;
  await eventually("the process stands still", async () => {
    await sleep(500);
    const { output } = await environment.call("outwork/process/get", { process_id });
    const same = output.total_bytes === printed;
    printed = output.total_bytes;
    return same && printed > 0;
  });
  return printed;
}

const LINE = 64;

function partOf(position: number, length: number): string {
  let text = "";
  for (let line = Math.floor(position / LINE); text.length < length + LINE; line += 1) {
    text += `${String(line).padStart(LINE - 1, "0")}\n`;
  }
  return text.slice(position % LINE, (position % LINE) + length);
}

function expectedSum(): string {
  const hash = createHash("sha256");
  for (let position = 0; position < PRINTED; position += MEBIBYTE) {
    hash.update(partOf(position, MEBIBYTE));
  }
  return hash.digest("hex");
}
