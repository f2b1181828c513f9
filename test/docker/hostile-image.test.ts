import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { pack } from "tar-stream";
import { type TarEntry, tarOf } from "../../src/placements/docker/tar.ts";
import { containerOf, openTestDocker, sh, specOf } from "../support/docker.ts";
import { localEngine } from "../support/images.ts";

const { placement, owner } = await openTestDocker();
const root = { uid: 0, gid: 0 };
const BUSYBOX: TarEntry[] = [
  { path: "bin/", mode: 0o755, ...root },
  { path: "bin/sh", mode: 0o755, ...root, content: { file: "/bin/busybox" } },
  { path: "etc/", mode: 0o777, ...root },
];

/** An image of these entries that is removed after the tests. */
async function imageOf(name: string, entries: TarEntry[], changes: string[] = []): Promise<string> {
  const tar = tarOf([...BUSYBOX, ...entries]);
  const options = { repo: name, tag: "latest", changes: ["ENV PATH=/bin", ...changes] };
  await text(await localEngine.importImage(tar, options));
  after(() => localEngine.getImage(name).remove({ force: true }));
  return name;
}

function file(path: string, content: string): TarEntry {
  return { path, mode: 0o644, ...root, content: { bytes: Buffer.from(content) } };
}

/** What the agent's programs complained about. */
async function complaints(id: string): Promise<string> {
  const log = await containerOf(localEngine, owner, id).logs({ stderr: true });
  return log.toString("latin1");
}

test("libraries that an image wants to be loaded everywhere are not loaded into the agent", async (t) => {
  const { signal } = t;
  const engines = "nodejs_conf = init\n[init]\nengines = list\n[list]\nbad = bad\n[bad]\n";
  const image = await imageOf(
    "outwork-test-preload",
    [
      file("etc/ld.so.preload", "/bad.so\n"),
      { path: "etc/ssl/", mode: 0o755, ...root },
      file("etc/ssl/openssl.cnf", `${engines}dynamic_path = /bad.so\ninit = 1\n`),
    ],
    ["ENV LD_PRELOAD=/bad.so", "ENV NODE_OPTIONS=--require=/bad.js", "ENV LD_AUDIT=/bad.so"],
  );
  const environment = await placement.launch(specOf("preload", { image }), { signal });
  assert.equal(await sh(environment, "echo here", signal), "here\n");
  assert.equal(await complaints("preload"), "");
  await environment[Symbol.asyncDispose]();
});

test("an image's entry point, user, health check and ports play no part", async (t) => {
  const { signal } = t;
  const image = await imageOf(
    "outwork-test-entry",
    [],
    [
      'ENTRYPOINT ["/bin/false"]',
      'CMD ["no"]',
      "USER 0:0",
      "WORKDIR /nowhere",
      "HEALTHCHECK CMD exit 1",
      "EXPOSE 80",
    ],
  );
  const environment = await placement.launch(specOf("entry", { image }), { signal });
  assert.equal(await sh(environment, "pwd", signal), "/workspace\n");
  const { Config, State } = await containerOf(localEngine, owner, "entry").inspect();
  assert.deepEqual([Config.User, State.Health], ["1000:1000", undefined]);
  await environment[Symbol.asyncDispose]();
});

test("an image that has a link where the agent's folder goes is refused, and nothing is left", async (t) => {
  const { signal } = t;
  const tar = pack();
  tar.entry({ name: "workspace/", type: "directory", mode: 0o777 });
  tar.entry({ name: ".outwork", type: "symlink", linkname: "/workspace" });
  tar.finalize();
  const name = "outwork-test-link";
  const options = { repo: name, tag: "latest" };
  await text(await localEngine.importImage(Readable.from(tar), options));
  t.after(() => localEngine.getImage(name).remove({ force: true }));
  const refused = placement.launch(specOf("link", { image: name }), { signal });
  await assert.rejects(refused, {
    code: "validation-failed",
    message: /has something at \/.outwork/,
  });
  await assert.rejects(containerOf(localEngine, owner, "link").inspect(), { statusCode: 404 });
});
