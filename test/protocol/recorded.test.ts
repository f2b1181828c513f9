import assert from "node:assert/strict";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { openFixture } from "../support/exec-server/fixture.ts";
import type { ProtocolClient } from "../support/exec-server/protocol-client.ts";
import { comparable, recording } from "../support/exec-server/recorded.ts";

/** What lies in the scratch folder: text of files, `null` for folders, `->` for links. */
type Scratch = Readonly<Record<string, string | null>>;

const LINKS = { ln: "-> a.txt", lnd: "-> d", dangling: "-> nowhere", loop: "-> loop" };

const RECORDINGS: Readonly<Record<string, Scratch>> = {
  "jsonrpc.malformed": {},
  "jsonrpc.ids-and-extras": {},
  "jsonrpc.params": {},
  "process.start-errors": { plain: "x" },
  "sandbox.schema-errors": { ws: null, f: "x" },
  "fs.readFile": { "a.txt": "hello", empty: "", d: null, "d/x": "1", ...LINKS },
  "fs.uris": { "a.txt": "hello", d: null, "d/x": "1", "sp ace%é.txt": "u" },
  "fs.writeFile": { "a.txt": "hello", d: null, ...LINKS, dangling: "-> made-by-write" },
  "fs.createDirectory": { "a.txt": "", d: null, lnd: "-> d" },
  "fs.getMetadata": { "a.txt": "hello", d: null, ...LINKS },
  "fs.canonicalize": { "a.txt": "", d: null, "d/x": "", ...LINKS },
  "fs.walk": {
    "t/a.txt": "",
    "t/d/x": "",
    "t/d/sub/y": "",
    "t/.hid/z": "",
    "t/ln": "-> a.txt",
    "t/lnd": "-> d",
    "t/d/up": "-> ..",
    "t/dangling": "-> nowhere",
  },
  "fs.remove": { f1: "", "d/x": "", "keep/x": "", lnd: "-> keep", f2: "" },
  "fs.copy": { "a.txt": "hello", "d/x": "1", "d/sub": null, "b.txt": "bb", ...LINKS },
  "fs.handles": { "a.txt": "hello world", d: null, ln: "-> a.txt" },
};

/** Where we answer otherwise, and why. */
const DIFFERENCES: Readonly<Record<string, Readonly<Record<number, unknown>>>> = {
  // Both methods without parameters take any object, not one of them only.
  "jsonrpc.ids-and-extras": { 7: { id: 6, result: { status: "ready" } } },
  // The words of one particular parser of UUIDs.
  "process.start-errors": {
    25: {
      error: {
        code: -32602,
        message: "invalid character: expected an optional prefix of `urn:uuid:` and a UUID",
      },
      id: 28,
    },
  },
};

for (const [name, scratch] of Object.entries(RECORDINGS)) {
  test(`${name} is answered as the reference answers it`, async (t) => {
    const fixture = await openFixture(t);
    const root = join(fixture.root, "probe");
    await fill(root, scratch);
    const client = await fixture.ready();
    const steps = await recording(name, root);
    for (const [index, { send, answer }] of steps.entries()) {
      if (send === undefined) continue;
      const expected = DIFFERENCES[name]?.[index] ?? answer;
      const actual = await exchange(client, send);
      assert.deepEqual(comparable(actual), comparable(expected), `step ${index}: ${send}`);
    }
  });
}

test("lifecycle.handshake is answered as the reference answers it", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.connect();
  for (const { send, answer, notify } of await recording("lifecycle.handshake", fixture.root)) {
    if (notify?.includes("some/notification")) break;
    if (notify !== undefined) client.raw(notify);
    if (send === undefined) continue;
    assert.deepEqual(comparable(await exchange(client, send)), comparable(answer), send);
  }
});

async function exchange(client: ProtocolClient, text: string): Promise<unknown> {
  const seen = client.messages.length;
  client.raw(text);
  return client.find((message) => {
    return message.method === undefined && client.messages.indexOf(message) >= seen;
  });
}

async function fill(root: string, scratch: Scratch): Promise<void> {
  await mkdir(root);
  for (const [path, content] of Object.entries(scratch)) {
    const at = join(root, path);
    await mkdir(content === null ? at : dirname(at), { recursive: true });
    if (content?.startsWith("-> ")) await symlink(content.slice(3), at);
    else if (content !== null) await writeFile(at, content);
  }
  await chmod(root, 0o755);
}
