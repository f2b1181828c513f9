import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Outwork } from "../../src/client/index.ts";
import { startCli } from "./outwork-cli.ts";

/** The real service, embedded placement, started by the command line as a program of its own. */
export class Served {
  /** Of command lines that are to find it. */
  readonly variables: NodeJS.ProcessEnv;
  readonly #folder: string;
  #child: ChildProcess;
  #port = 0;

  private constructor(folder: string, child: ChildProcess) {
    this.#folder = folder;
    this.#child = child;
    this.variables = { OUTWORK_STATE: folder };
  }

  /** It is stopped, and its environments are removed, after the test. */
  static async start(t: TestContext): Promise<Served> {
    const folder = await mkdtemp(join(tmpdir(), "outwork-served-"));
    // Agents run as users of their own and must be able to pass through.
    await chmod(folder, 0o711);
    const served = new Served(folder, serve(folder, 0));
    t.after(() => served.#leave());
    await served.#listening();
    return served;
  }

  client(): Promise<Outwork> {
    return Outwork.local(this.variables);
  }

  /** Ends it as a power failure would. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await once(this.#child, "exit");
  }

  /** Starts it again at the same address. */
  async restart(): Promise<void> {
    this.#child = serve(this.#folder, this.#port);
    await this.#listening();
  }

  async #listening(): Promise<void> {
    let said = "";
    for await (const text of this.#child.stdout ?? []) {
      said += text;
      if (said.endsWith("}\n")) break;
    }
    this.#port = Number(new URL(JSON.parse(said).url).port);
  }

  async #leave(): Promise<void> {
    await using outwork = await this.client();
    for (const { id } of await outwork.environments.list()) await outwork.environments.remove(id);
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
    await rm(this.#folder, { recursive: true });
  }
}

function serve(folder: string, port: number): ChildProcess {
  const child = startCli(
    ["serve", "--json", "--port", String(port), "--state", folder, "--log-level", "warn"],
    {},
  );
  child.stderr?.pipe(process.stderr, { end: false });
  return child;
}
