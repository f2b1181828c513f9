import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { Outwork } from "../../src/client/index.ts";
import { compose, type Service } from "../../src/compose.ts";
import { Config } from "../../src/config.ts";
import type { PlacementKind } from "../../src/contract/index.ts";
import { codexBinary } from "../support/codex.ts";
import { debianImage } from "../support/images.ts";

const DRIVER = resolve("test/acceptance/codex/run-codex-e2e.mjs");
/** The driver has its client do everything that Codex can, so nothing below full access will do. */
const presets = ["read-only", "workspace-write", "danger-full-access"];

/** Whole turns of the unmodified Codex CLI, with a scripted model, in two environments at once. */
describe("the stock Codex CLI", () => {
  let stateFolder: string;
  let service: Service;
  let token: string;

  before(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), "outwork-codex-"));
    // Environments have users of their own, who pass through it.
    await chmod(stateFolder, 0o711);
    const placements = { embedded: { ceiling: { presets } }, docker: { ceiling: { presets } } };
    const listen = { port: 0 };
    const config = { state_folder: stateFolder, listen, placements, log_level: "error" };
    service = await compose(Config.parse(config));
    token = (await readFile(service.tokenFile ?? "", "utf8")).trim();
  });

  after(async () => {
    await service[Symbol.asyncDispose]();
    await rm(stateFolder, { recursive: true, force: true });
  });

  for (const [first, second] of [
    ["embedded", "embedded"],
    ["docker", "docker"],
    ["embedded", "docker"],
  ] as const) {
    test(`works in an ${first} and a second, ${second} environment`, async () => {
      await withTwo(first, second, async (urls) => {
        const authorized = urls.map((url) => `${url}?token=${token}`);
        assert.match(await drive(authorized, []), /^# (\d+) of \1 checks passed$/m);
      });
    });
  }

  test("sends its bearer token when it is given one, and is refused without", async () => {
    await withTwo("embedded", "embedded", async (urls) => {
      assert.match(await drive(urls, ["--token", token]), /^# (\d+) of \1 checks passed$/m);
    });
  });

  async function withTwo(
    first: PlacementKind,
    second: PlacementKind,
    use: (urls: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const { environments } = new Outwork({ url: service.url, token });
    const made = await Promise.all(
      [first, second].map(async (placement) =>
        environments.create({
          placement,
          policy: { preset: "danger-full-access" },
          ...(placement === "docker" ? { image: await debianImage() } : {}),
        }),
      ),
    );
    try {
      const ws = service.url.replace(/^http/, "ws");
      await use(made.map(({ id }) => `${ws}/v1/environments/${id}/exec-server`));
    } finally {
      await Promise.all(made.map(({ id }) => environments.remove(id)));
    }
  }
});

/** What the driver printed. Its checks name what they saw, so a failure shows all of it. */
async function drive(urls: readonly string[], flags: readonly string[]): Promise<string> {
  const targets = urls.flatMap((url) => [url, "/workspace"]);
  const args = [DRIVER, await codexBinary(), ...targets, ...flags];
  const driver = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors] = [text(driver.stdout), text(driver.stderr)];
  const [code] = await once(driver, "close");
  assert.equal(code, 0, `${await output}\n${await errors}`);
  return output;
}
