import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * What attacks aim at on this host: a file to read, a folder that anybody may write, and services that
 * anybody may connect to. Nobody should have been at any of it afterwards.
 */
export class Bait implements AsyncDisposable {
  readonly folder: string;
  readonly secretText: string;
  /** Planted in the surroundings of whoever starts agents. */
  readonly marker: string;
  readonly abstractName: string;
  readonly #servers: Server[] = [];
  /** Connections to Unix sockets, by what was connected to. */
  readonly visits: string[] = [];

  private constructor(folder: string) {
    this.folder = folder;
    this.secretText = `secret-${randomBytes(12).toString("hex")}`;
    this.marker = `marker-${randomBytes(12).toString("hex")}`;
    this.abstractName = `outwork-escape-${randomBytes(8).toString("hex")}`;
  }

  static async lay(): Promise<Bait> {
    const bait = new Bait(await mkdtemp(join(tmpdir(), "ow-bait-")));
    await chmod(bait.folder, 0o755);
    await mkdir(bait.openFolder);
    await chmod(bait.openFolder, 0o777);
    for (const path of [bait.secret, join(bait.openFolder, "key")]) {
      await writeFile(path, `${bait.secretText}\n`, { mode: 0o644 });
    }
    await bait.#listen("socket", bait.unixSocket);
    await chmod(bait.unixSocket, 0o777);
    await bait.#listen("abstract name", `\0${bait.abstractName}`);
    await bait.#listen(null, { port: 0, host: "127.0.0.1" });
    process.env.OUTWORK_ESCAPE_MARKER = bait.marker;
    return bait;
  }

  get secret(): string {
    return join(this.folder, "secret");
  }

  /** Holds a copy of the secret; anybody may write here. */
  get openFolder(): string {
    return join(this.folder, "open");
  }

  get unixSocket(): string {
    return join(this.folder, "socket");
  }

  get tcpPort(): number {
    const [, , server] = this.#servers;
    return (server?.address() as AddressInfo | undefined)?.port ?? 0;
  }

  /** Names in the open folder that were not put there by us. */
  planted(...names: string[]): string[] {
    return names.filter((name) => existsSync(join(this.openFolder, name)));
  }

  async #listen(
    visited: string | null,
    where: string | { readonly port: number; readonly host: string },
  ): Promise<void> {
    const server = createServer((connection) => {
      if (visited !== null) this.visits.push(visited);
      connection.on("error", () => {}).end();
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      if (typeof where === "string") server.listen(where, resolve);
      else server.listen(where.port, where.host, resolve);
    });
    this.#servers.push(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) server.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
