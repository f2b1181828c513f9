import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Outwork } from "../../src/client/index.ts";
import { ServiceProcess } from "../../src/quickstart/service-process.ts";
import { CuttingRelay, type MessageCut } from "../support/exec-server/cutting-relay.ts";
import { encode, ProtocolClient } from "../support/exec-server/protocol-client.ts";
import { ResumingClient } from "../support/exec-server/resuming-client.ts";
import { script } from "../support/exec-server/starts.ts";
import { passableFolder } from "../support/passable-folder.ts";

const WORKSPACE = { cwd: "file:///workspace" };
const STORY = { output: "got one\ngot two\n", exitCode: 7 };

/** Connections to a real service that break, on the embedded placement. */
describe("an exec-server connection that breaks", () => {
  let service: ServiceProcess;
  let outwork: Outwork;
  let number = 0;

  before(async () => {
    service = new ServiceProcess(await passableFolder("outwork-reconnect-"), ["embedded"]);
    await service.start();
    outwork = await service.client();
    await outwork.environments.create({ id: "env" });
  });

  after(async () => {
    const again = await service.client();
    await again.environments.remove("env");
    await Promise.all([outwork, again].map((client) => client[Symbol.asyncDispose]()));
    await service.stop();
    await rm(service.stateFolder, { recursive: true, force: true });
  });

  async function url(): Promise<string> {
    const token = (await readFile(join(service.stateFolder, "token"), "utf8")).trim();
    const address = `ws://127.0.0.1:${await service.port()}`;
    return `${address}/v1/environments/env/exec-server?token=${token}`;
  }

  function freshId(): string {
    number += 1;
    return `p${number}`;
  }

  /** Two questions and their answers, a mark for each run, and an exit code to keep. */
  function dialogue(id: string) {
    const text = `echo ran >> ran-${id}; read a; echo got $a; read b; echo got $b; exit 7`;
    return script(id, text, { ...WORKSPACE, pipeStdin: true });
  }

  async function runs(id: string): Promise<string> {
    const { output } = await outwork
      .environment("env")
      .execCommand({ cmd: `cat ran-${id}`, login: false });
    return output;
  }

  /** One command from its start to its end, over a connection that breaks at this message. */
  async function lived(cut: MessageCut | null) {
    await using relay = await CuttingRelay.open(await url(), cut);
    const id = freshId();
    const client = new ResumingClient(() => relay.url, id);
    await client.start(dialogue(id));
    await client.write("1", "one\n");
    await client.write("2", "two\n");
    const { seqs, ...story } = await client.story();
    assert.deepEqual(story, STORY);
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1),
    );
    assert.equal(await runs(id), "ran\n");
    return { connections: client.connections.length, counts: { ...relay.counts } };
  }

  for (const direction of ["up", "down"] as const) {
    for (const delivered of [false, true]) {
      const when = delivered ? "after" : "before";
      test(`ES-04: cut ${when} each message ${direction}, a command runs once and all is seen`, async () => {
        const whole = await lived(null);
        assert.equal(whole.connections, 1);
        let cuts = 0;
        for (let at = 1; at <= whole.counts[direction]; at += 1) {
          const { connections } = await lived({ direction, at, delivered });
          cuts += connections - 1;
        }
        // The very last message may have been seen before its connection was missed.
        assert.ok(cuts >= whole.counts[direction] - 2, `${cuts} cuts`);
      });
    }
  }

  test("ES-03: three processes run on without a connection, and each goes on where it was", async () => {
    const first = await ProtocolClient.open(await url());
    const session = await first.handshake();
    const ids = [freshId(), freshId(), freshId()];
    for (const id of ids) {
      await first.result("process/start", script(id, "exec cat", { pipeStdin: true }));
      const before = { processId: id, writeId: "1", chunk: encode("before\n") };
      await first.result("process/write", before);
      await first.outputIncludes(id, "before\n");
    }
    first.drop();
    const second = await ProtocolClient.open(await url());
    assert.equal(await second.handshake(session), session);
    for (const id of ids) {
      const after = { processId: id, writeId: "2", chunk: encode(`after ${id}\n`) };
      assert.deepEqual(await second.result("process/write", after), { status: "accepted" });
      await second.outputIncludes(id, `after ${id}\n`);
      assert.deepEqual(
        second.eventsOf(id).map(({ params }) => params?.seq),
        [2],
      );
      await second.result("process/terminate", { processId: id });
      await second.closedOf(id);
    }
    assert.deepEqual(
      ids.map((id) => first.outputOf(id)),
      ids.map(() => "before\n"),
    );
    second.drop();
  });

  test("ES-03: what is printed during an outage is read afterwards, to the last byte", async () => {
    const id = freshId();
    const first = await ProtocolClient.open(await url());
    const session = await first.handshake();
    const text = `echo begun; while [ ! -e go-${id} ]; do sleep 0.02; done; seq 1 20000; exit 9`;
    await first.result("process/start", script(id, text, WORKSPACE));
    await first.outputIncludes(id, "begun\n");
    first.drop();
    await first.closing();
    await outwork.environment("env").execCommand({ cmd: `touch go-${id}`, login: false });
    await outwork.environment("env").execCommand({ cmd: "sleep 1", login: false });
    const second = await ProtocolClient.open(await url());
    await second.handshake(session);
    const params = { processId: id, afterSeq: 1, maxBytes: null, waitMs: 0 };
    const read = await second.result("process/read", params);
    const chunks = read.chunks as { seq: number; chunk: string }[];
    const output = chunks.map(({ chunk }) => Buffer.from(chunk, "base64").toString()).join("");
    const all = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("");
    const last = chunks.length + 1;
    assert.deepEqual(
      chunks.map(({ seq }) => seq),
      chunks.map((_, index) => index + 2),
    );
    assert.ok(output === all, `${output.length} of ${all.length}`);
    const { exited, exitCode, closed, nextSeq } = read;
    assert.deepEqual(
      { exited, exitCode, closed, nextSeq },
      { exited: true, exitCode: 9, closed: true, nextSeq: last + 3 },
    );
    second.drop();
  });

  test("ES-14: a replay that is refused is answered as such, once, and the session goes on", async () => {
    const id = freshId();
    const first = await ProtocolClient.open(await url());
    const session = await first.handshake();
    const start = script(id, "exec cat", { pipeStdin: true });
    await first.result("process/start", start);
    first.drop();
    const second = await ProtocolClient.open(await url());
    await second.handshake(session);
    assert.equal(
      (await second.error("process/start", start)).message,
      `process ${id} already exists`,
    );
    const unknown = { processId: `${id}-never`, writeId: "1", chunk: encode("x") };
    assert.deepEqual(await second.result("process/write", unknown), { status: "unknownProcess" });
    const known = { processId: id, writeId: "1", chunk: encode("goes on\n") };
    assert.deepEqual(await second.result("process/write", known), { status: "accepted" });
    await second.outputIncludes(id, "goes on\n");
    assert.equal(second.closed, null);
    await second.result("process/terminate", { processId: id });
    await second.closedOf(id);
    second.drop();
  });

  test("ES-15: five times resumed without closing, only the newest connection hears", async () => {
    const id = freshId();
    const start = script(id, "exec cat", { pipeStdin: true });
    let newest = await ProtocolClient.open(await url());
    const all = [newest];
    const session = await newest.handshake();
    await newest.result("process/start", start);
    for (let round = 1; round <= 5; round += 1) {
      newest = await ProtocolClient.open(await url());
      all.push(newest);
      await newest.handshake(session);
      const write = { processId: id, writeId: String(round), chunk: encode(`${round}\n`) };
      await newest.result("process/write", write);
      await newest.outputIncludes(id, `${round}\n`);
    }
    assert.deepEqual(
      all.map((client) => client.outputOf(id)),
      ["", "1\n", "2\n", "3\n", "4\n", "5\n"],
    );
    const replaced = { code: 4001, reason: "session resumed by another connection" };
    for (const old of all.slice(0, -1)) assert.deepEqual(await old.closing(), replaced);
    await newest.result("process/terminate", { processId: id });
    await newest.closedOf(id);
    newest.drop();
  });

  test("ES-15: a half-open connection gives way to its rightful successor at once", async () => {
    await using relay = await CuttingRelay.open(await url());
    const id = freshId();
    const old = await ProtocolClient.open(relay.url);
    const session = await old.handshake();
    await old.result("process/start", script(id, "exec cat", { pipeStdin: true }));
    relay.stalled = true;
    const newcomer = await ProtocolClient.open(await url());
    assert.equal(await newcomer.handshake(session), session);
    const write = { processId: id, writeId: "1", chunk: encode("here\n") };
    await newcomer.result("process/write", write);
    await newcomer.outputIncludes(id, "here\n");
    assert.equal(old.outputOf(id), "");
    await newcomer.result("process/terminate", { processId: id });
    await newcomer.closedOf(id);
    newcomer.drop();
  });

  test("ES-16: full access asked for in a workspace-write environment is narrowed, and said so", async () => {
    const id = freshId();
    const client = await ProtocolClient.open(await url());
    await client.handshake();
    const text =
      "echo x > /usr/outwork-outside || echo refused; test -e /run/docker.sock || echo none";
    const start = script(id, text, { ...WORKSPACE, sandbox: null });
    const { effectivePolicy } = await client.result("process/start", start);
    const { preset, network } = effectivePolicy as { preset: string; network: string };
    assert.deepEqual({ preset, network }, { preset: "workspace-write", network: "off" });
    await client.closedOf(id);
    assert.match(client.outputOf(id), /refused\nnone\n$/);
    client.drop();
  });

  test("ES-03: a service killed in the middle of a command costs neither output nor exit code", async () => {
    const id = freshId();
    let address = await url();
    const text = "i=0; while [ $i -lt 150 ]; do i=$((i+1)); echo $i; sleep 0.02; done; exit 11";
    const client = new ResumingClient(() => address, id);
    await client.start(script(id, text, WORKSPACE));
    const [first] = client.connections;
    await first?.outputIncludes(id, "10\n");
    await service.kill();
    await service.start();
    address = await url();
    const { output, exitCode, seqs } = await client.story();
    const all = Array.from({ length: 150 }, (_, index) => `${index + 1}\n`).join("");
    assert.deepEqual({ output, exitCode }, { output: all, exitCode: 11 });
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1),
    );
    assert.equal(client.connections.length, 2);
  });
});
