import type { WaitOptions } from "../../core/agent-link.ts";
import { OutworkError } from "../../errors.ts";
import { collectToolbox } from "../toolbox/collect.ts";
import type { Toolbox } from "../toolbox/toolbox.ts";
import { findDoorKind } from "./door-kind.ts";
import type { DoorKind, Doors } from "./doors.ts";
import type { Engine } from "./engine.ts";
import type { Errands } from "./errands.ts";
import { type Facts, hasOption, readFacts, sameArchitecture, sharesFiles } from "./facts.ts";
import type { Walls } from "./profile.ts";
import { readSeccompProfile } from "./seccomp.ts";
import type { ToolboxVolume } from "./toolbox-volume.ts";

/** What every launch needs to know and have, found out once. */
export interface Ground {
  readonly facts: Facts;
  readonly walls: Walls;
  readonly toolbox: Toolbox;
  readonly doorKind: DoorKind;
}

interface Parts {
  readonly engine: Engine;
  readonly errands: Errands;
  readonly doors: Doors;
  readonly volume: ToolboxVolume;
  /** Profile where the engine has AppArmor; its default one forbids mounts, and so every sandbox. */
  readonly appArmor: string;
}

/** Prepares the engine at first use. A failure is forgotten, so that the next launch tries again. */
export class Groundwork {
  readonly #parts: Parts;
  #laid: Promise<Ground> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws `placement-unavailable`, or `enforcement-missing` when environments cannot run there */
  async ready({ signal }: WaitOptions): Promise<Ground> {
    this.#laid ??= this.#lay().catch((error: unknown) => {
      this.#laid = null;
      throw error;
    });
    return until(this.#laid, signal);
  }

  /** Shared by all who wait, so ended by none of them. */
  async #lay(): Promise<Ground> {
    const { engine, errands, doors, volume, appArmor } = this.#parts;
    const wait = { signal: new AbortController().signal };
    const [facts, toolbox] = await Promise.all([readFacts(engine, wait), collectToolbox()]);
    if (!sameArchitecture(facts)) throw otherArchitecture(facts);
    await volume.ready(toolbox, wait);
    const doorKind = sharesFiles(facts)
      ? await findDoorKind(engine, errands, doors, wait)
      : "inside";
    const walls = {
      seccomp: readSeccompProfile(),
      appArmor: hasOption(facts, "apparmor") ? appArmor : null,
    };
    return { facts, walls, toolbox, doorKind };
  }
}

/** Waits for shared work without owning it. */
async function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener("abort", stop));
}

function otherArchitecture({ Architecture }: Facts): OutworkError {
  return new OutworkError(
    "enforcement-missing",
    `The container engine runs on ${Architecture} and this service on ${process.arch}: environments ` +
      "get the service's own programs, so both must be the same.",
    { facts: { missing: "architecture" } },
  );
}
