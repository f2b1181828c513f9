import { randomBytes } from "node:crypto";
import type { WaitOptions } from "../../core/agent-link.ts";
import { OutworkError } from "../../errors.ts";
import { TOOLBOX_FOLDER } from "../toolbox/collect.ts";
import type { Ids } from "./doors.ts";
import type { Engine } from "./engine.ts";
import type { Errand, Errands } from "./errands.ts";
import { FrameReader } from "./frames.ts";
import type { Groundwork } from "./groundwork.ts";
import { walledHost } from "./profile.ts";
import type { ToolboxVolume } from "./toolbox-volume.ts";

/** Every namespace that a command's sandbox has, over whatever the container has. */
const SANDBOX = [
  "--ro-bind",
  "/",
  "/",
  "--unshare-user",
  "--unshare-all",
  "--disable-userns",
  "--proc",
  "/proc",
];
const LOG_LINES = 10;

/** What the probe needs of the placement. */
export interface ProbeParts {
  readonly engine: Engine;
  readonly errands: Errands;
  readonly groundwork: Groundwork;
  readonly volume: ToolboxVolume;
  readonly ids: Ids;
}

/** Tries whether commands can be sandboxed in this engine's containers. */
export class SandboxProbe {
  readonly #parts: ProbeParts;
  #passed = false;

  constructor(parts: ProbeParts) {
    this.#parts = parts;
  }

  /**
   * Runs bubblewrap in a container of the very kind that environments get. Once it has passed, it is
   * not run again.
   * @throws `enforcement-missing` with what it said, and `facts.fix`
   */
  async pass(wait: WaitOptions): Promise<void> {
    if (this.#passed) return;
    const errand = { ...(await this.#errand(wait)), what: "probe" };
    await this.#parts.errands.run(errand, wait, (id) => this.#watch(id, wait));
    this.#passed = true;
  }

  async #errand(wait: WaitOptions): Promise<Omit<Errand, "what">> {
    const { groundwork, volume, ids } = this.#parts;
    const { walls, toolbox } = await groundwork.ready(wait);
    const { bwrap } = toolbox.programs;
    const Source = await volume.ready(toolbox, wait);
    const mount = { Type: "volume" as const, Source, Target: TOOLBOX_FOLDER, ReadOnly: true };
    return {
      name: `outwork-probe-${randomBytes(8).toString("hex")}`,
      options: {
        User: `${ids.uid}:${ids.gid}`,
        Entrypoint: [...bwrap, ...SANDBOX, "--", ...bwrap, "--version"],
        Cmd: [],
        HostConfig: { ...walledHost(walls), NetworkMode: "none", Mounts: [mount] },
      },
    };
  }

  async #watch(id: string, wait: WaitOptions): Promise<void> {
    const { engine } = this.#parts;
    await engine.startContainer(id, wait);
    await engine.waitForExit(id, wait);
    const details = await engine.inspectContainer(id, wait);
    if (details?.State.ExitCode === 0) return;
    const frames = new FrameReader().read(await engine.readLog(id, LOG_LINES, wait));
    throw sandboxMissing(
      Buffer.concat([...frames].map(({ bytes }) => bytes))
        .toString()
        .trim(),
    );
  }
}

function sandboxMissing(said: string): OutworkError {
  return new OutworkError(
    "enforcement-missing",
    `Commands cannot be sandboxed in containers of this engine: ${said}.`,
    { facts: { missing: "user-namespaces", said, fix: fixOf(said) } },
  );
}

function fixOf(said: string): string {
  if (/mount proc|Can't mount proc/i.test(said)) {
    return "The engine masks /proc although it was asked not to: use an engine that honours MaskedPaths.";
  }
  if (/uid map|user namespace|Creating new namespace|No permissions/i.test(said)) {
    return (
      "On the engine's host set user.max_user_namespaces above 0 and kernel.unprivileged_userns_clone " +
      "to 1. With AppArmor load a profile that allows `userns, mount, umount, pivot_root,` and name it " +
      "as docker.apparmor."
    );
  }
  return "Run `outwork doctor` after mending what bubblewrap says.";
}
