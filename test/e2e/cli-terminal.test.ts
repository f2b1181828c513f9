import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { IPty } from "@lydell/node-pty";
import { asError } from "../../src/errors.ts";
import type { FakeProcess } from "../support/fake-process.ts";
import { FakeService } from "../support/fake-service.ts";
import { runCli } from "../support/outwork-cli.ts";
import { onTerminal, until } from "../support/terminal.ts";

async function shellService(onStart: (process: FakeProcess) => void = () => {}) {
  const service = await FakeService.open({
    onStart: (process) => {
      process.print("ready$ ");
      onStart(process);
    },
  });
  service.add("env_1");
  return service;
}

test("PT-06: on a terminal every key goes to the command, Ctrl-C and Ctrl-D too", async (t) => {
  await using service = await shellService();
  const { pty, ended, showing, shown } = onTerminal(t, [
    ...["exec", "-t", "env_1", "--url", service.url, "--", "bash"],
  ]);
  await showing("ready$ ");
  assert.deepEqual(service.process.start.tty, { rows: 30, cols: 100 });
  const keys = "ls\r\x03\x04\x1a\x1d\x7fé";
  pty.write(keys);
  await until(service.process, () => service.process.stdin === keys);
  assert.deepEqual(service.process.signals, []);
  service.process.print("bye\r\n");
  service.process.end(7);
  assert.equal(await ended, 7);
  assert.equal(shown(), "ready$ bye\r\n");
});

test("the command's terminal follows the size of ours", async (t) => {
  await using service = await shellService();
  const { pty, ended, showing } = onTerminal(t, [
    ...["exec", "-t", "env_1", "--url", service.url, "--", "bash"],
  ]);
  await showing("ready$ ");
  pty.resize(120, 40);
  await until(service.process, () => service.process.sizes.length > 0);
  assert.deepEqual(service.process.sizes.at(-1), { rows: 40, cols: 120 });
  service.process.end(0);
  assert.equal(await ended, 0);
});

test("PT-02: resizing without end while the command ends harms nobody", async (t) => {
  await using service = await shellService();
  const { pty, ended, showing, shown } = onTerminal(t, [
    ...["exec", "-t", "env_1", "--url", service.url, "--", "bash"],
  ]);
  await showing("ready$ ");
  const resizing = resizeUntil(pty, ended);
  await until(service.process, () => service.process.sizes.length > 3);
  service.process.end(3);
  assert.equal(await ended, 3);
  await resizing;
  assert.equal(shown(), "ready$ ");
});

/** Resizes the terminal again and again. The library that plays it throws once it has gone. */
async function resizeUntil(pty: IPty, ended: Promise<number>): Promise<void> {
  let over = false;
  const watched = ended.then(() => {
    over = true;
  });
  for (let cols = 80; !over; cols = 161 - cols) {
    try {
      pty.resize(cols, 24);
    } catch (error) {
      assert.match(asError(error).message, /ioctl\(2\) failed/);
      break;
    }
    await sleep(1);
  }
  await watched;
}

test("attach gives the keyboard to a process on a terminal, and Ctrl-] leaves it", async (t) => {
  await using service = await shellService();
  const start = onTerminal(t, [
    ...["exec", "-td", "--id", "p1", "env_1", "--url", service.url, "--", "bash"],
  ]);
  assert.equal(await start.ended, 0);
  const { pty, ended, showing, shown } = onTerminal(t, [
    ...["attach", "env_1", "p1", "--url", service.url],
  ]);
  await showing("ready$ ");
  pty.write("ls\r");
  await until(service.process, () => service.process.stdin === "ls\r");
  pty.write("\x1d");
  assert.equal(await ended, 125);
  assert.match(shown(), /left p1 before its end/);
  assert.equal(service.process.running, true);
});

test("without a terminal for the command, Ctrl-C is an interrupt", async (t) => {
  await using service = await shellService();
  const { pty, ended, showing } = onTerminal(t, [
    ...["exec", "env_1", "--url", service.url, "--", "sleep"],
  ]);
  await showing("ready$ ");
  pty.write("\x03");
  await until(service.process, () => service.process.signals.length === 1);
  assert.deepEqual(service.process.signals, ["SIGINT"]);
  service.process.end(130, "signalled");
  assert.equal(await ended, 130);
});

test("piped input of a command on a terminal ends as Ctrl-D ends it", async () => {
  await using service = await shellService();
  const running = runCli(["exec", "-it", "env_1", "--url", service.url, "--", "cat"], {
    input: "hello\n",
  });
  while (service.requests.length < 2) await nextTurn();
  await until(service.process, () => service.process.stdin.endsWith("\x04"));
  assert.equal(service.process.stdin, "hello\n\x04");
  service.process.end(0);
  assert.equal((await running).code, 0);
});
