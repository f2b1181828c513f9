import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { type Fixture, openFixture } from "../support/exec-server/fixture.ts";
import { decode, encode } from "../support/exec-server/protocol-client.ts";

function uri(fixture: Fixture, name = ""): string {
  return `file://${join(fixture.root, name)}`;
}

test("a patch's way of adding a file: not found, make the folder, write again", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const write = { path: uri(fixture, "new/folder/f"), dataBase64: encode("text") };
  assert.equal((await client.error("fs/writeFile", write)).code, -32004);
  const folder = { path: uri(fixture, "new/folder"), recursive: true };
  assert.deepEqual(await client.result("fs/createDirectory", folder), {});
  assert.deepEqual(await client.result("fs/writeFile", write), {});
  assert.equal(await readFile(join(fixture.root, "new/folder/f"), "utf8"), "text");
});

test("calls about one path, sent in one go, are carried out in their order", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const path = uri(fixture, "a/b/f");
  const answers = [
    client.send("fs/createDirectory", { path: uri(fixture, "a/b") }),
    client.send("fs/writeFile", { path, dataBase64: encode("one") }),
    client.send("fs/readFile", { path }),
    client.send("fs/writeFile", { path, dataBase64: encode("two") }),
    client.send("fs/readFile", { path }),
    client.send("fs/remove", { path: uri(fixture, "a") }),
    client.send("fs/readFile", { path }),
  ];
  const results = [];
  for (const id of answers) results.push(await client.answer(id));
  assert.deepEqual(results, [
    { result: {} },
    { result: {} },
    { result: { dataBase64: encode("one") } },
    { result: {} },
    { result: { dataBase64: encode("two") } },
    { result: {} },
    { error: { code: -32004, message: "No such file or directory (os error 2)" } },
  ]);
});

test("a listing shows what is there, with links as what they lead to", async (t) => {
  const fixture = await openFixture(t);
  await mkdir(join(fixture.root, "d/sub"), { recursive: true });
  await writeFile(join(fixture.root, "d/x"), "");
  await symlink("sub", join(fixture.root, "d/to-sub"));
  await symlink("nowhere", join(fixture.root, "d/dangling"));
  const client = await fixture.ready();
  const { entries } = await client.result("fs/readDirectory", { path: uri(fixture, "d") });
  const byName = (a: { fileName: string }, b: { fileName: string }) =>
    a.fileName < b.fileName ? -1 : 1;
  assert.deepEqual((entries as { fileName: string }[]).sort(byName), [
    { fileName: "sub", isDirectory: true, isFile: false },
    { fileName: "to-sub", isDirectory: true, isFile: false },
    { fileName: "x", isDirectory: false, isFile: true },
  ]);
});

test("a file goes there and back in blocks", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const content = Buffer.alloc(2_500_000, "0123456789");
  const path = uri(fixture, "f");
  await client.result("fs/open", { handleId: "w", path, mode: "replace" });
  for (let offset = 0; offset < content.length; offset += 1_048_576) {
    const chunk = content.subarray(offset, offset + 1_048_576).toString("base64");
    client.send("fs/writeBlock", { handleId: "w", offset, chunk });
  }
  assert.deepEqual(await client.result("fs/close", { handleId: "w" }), {});
  await client.result("fs/open", { handleId: "r", path });
  const parts: Buffer[] = [];
  for (let offset = 0, end = false; !end; offset += 1_048_576) {
    const block = { handleId: "r", offset, len: 1_048_576 };
    const { chunk, eof } = await client.result("fs/readBlock", block);
    parts.push(Buffer.from(String(chunk), "base64"));
    end = eof === true;
  }
  assert.ok(Buffer.concat(parts).equals(content));
});

test("at most 128 handles are open, and a closed one makes room", async (t) => {
  const fixture = await openFixture(t);
  await writeFile(join(fixture.root, "f"), "x");
  const client = await fixture.ready();
  const open = (handleId: string) => ({ handleId, path: uri(fixture, "f") });
  for (let at = 0; at < 128; at += 1) client.send("fs/open", open(`h${at}`));
  assert.deepEqual(await client.error("fs/open", open("more")), {
    code: -32600,
    message: "at most 128 file handles may be open per connection",
  });
  await client.result("fs/close", { handleId: "h0" });
  assert.deepEqual(await client.result("fs/open", open("more")), { handleId: "more" });
});

test("a read that fails closes its handle", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  await client.result("fs/open", { handleId: "w", path: uri(fixture, "f"), mode: "replace" });
  const block = { handleId: "w", offset: 0, len: 1 };
  assert.deepEqual(await client.error("fs/readBlock", block), {
    code: -32603,
    message: "Bad file descriptor (os error 9)",
  });
  assert.deepEqual(await client.error("fs/readBlock", block), {
    code: -32004,
    message: "unknown file handle `w`",
  });
});

test("a missing path is watched once, after the answer, and by one watch only", async (t) => {
  const fixture = await openFixture(t);
  await writeFile(join(fixture.root, "present"), "");
  const client = await fixture.ready();
  const watch = (watchId: number, names: string[], present?: string) =>
    client.result("fs/watchMissing", {
      watchId,
      missing: names.map((name) => uri(fixture, name)),
      ...(present === undefined ? {} : { present: uri(fixture, present) }),
    });
  const many = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`);
  assert.deepEqual(await watch(1, []), { watching: false });
  assert.deepEqual(await watch(2, ["present"]), { watching: false });
  assert.deepEqual(await watch(3, ["nope"], "absent"), { watching: false });
  assert.deepEqual(await watch(4, ["first"], "present"), { watching: true });
  assert.deepEqual(await watch(4, ["second"]), { watching: false });
  assert.deepEqual(await watch(5, many(65)), { watching: false });
  assert.deepEqual(await watch(6, many(64)), { watching: true });
  assert.deepEqual(await watch(7, ["third", "x/y/z"], "present"), { watching: true });
  for (const name of ["first", "second", "m3", "third", "later"]) {
    await writeFile(join(fixture.root, name), "");
  }
  await client.find(({ method }) => method === "fs/missingChanged");
  await client.result("environment/status");
  assert.deepEqual(
    client.messages.filter(({ method }) => method === "fs/missingChanged"),
    [{ method: "fs/missingChanged", params: { watchId: 7 } }],
  );
});

test("watch ids keep their digits", async (t) => {
  const fixture = await openFixture(t);
  const client = await fixture.ready();
  const texts: string[] = [];
  client.socket.on("message", (data) => texts.push(data.toString()));
  const params = `{"watchId":18446744073709551615,"missing":["${uri(fixture, "nope")}"]}`;
  client.raw(`{"id":"w","method":"fs/watchMissing","params":${params}}`);
  assert.deepEqual(await client.answer("w"), { result: { watching: true } });
  await writeFile(join(fixture.root, "nope"), "");
  await client.find(({ method }) => method === "fs/missingChanged");
  assert.ok(
    texts.includes('{"method":"fs/missingChanged","params":{"watchId":18446744073709551615}}'),
  );
});

test("ES-06: a file that grows while it is read comes whole, as far as it had grown", async (t) => {
  const fixture = await openFixture(t);
  const path = join(fixture.root, "f");
  await writeFile(path, "x".repeat(100_000));
  const client = await fixture.ready();
  const read = { path: uri(fixture, "f") };
  const reads = Array.from({ length: 20 }, () => client.send("fs/readFile", read));
  await appendFile(path, "y".repeat(200_000));
  for (const id of reads) {
    const { result } = await client.answer(id);
    assert.match(decode(result?.dataBase64), /^x{100000}y*$/);
  }
});
