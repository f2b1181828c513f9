import { text } from "node:stream/consumers";
import type { WaitOptions } from "../../core/agent-link.ts";
import { OutworkError } from "../../errors.ts";
import type { ContainerOptions, Engine } from "./engine.ts";
import { LABEL } from "./labels.ts";
import { tarOf } from "./tar.ts";

/** An image with nothing in it, for containers that need none: made here, never pulled. */
const EMPTY_IMAGE = "outwork-empty";
/** Undoing is not given up when the caller is: it has this long. */
const UNDO_TIMEOUT_MS = 60_000;

/** What a container is needed for. Its name must be known before it exists. */
export interface Errand {
  readonly name: string;
  readonly what: string;
  readonly options: ContainerOptions;
}

/** Containers that live for a moment and are no environment. They are found again by their label. */
export class Errands {
  readonly #engine: Engine;
  readonly #owner: string;
  readonly #inUse: Set<string>;

  /** @param inUse names of the containers that this service has in hand; shared with launches */
  constructor(engine: Engine, owner: string, inUse: Set<string>) {
    this.#engine = engine;
    this.#owner = owner;
    this.#inUse = inUse;
  }

  /** Creates a container, lets `work` use it, and removes it whatever happens. */
  async run<T>(
    { name, what, options }: Errand,
    wait: WaitOptions,
    work: (id: string) => Promise<T>,
  ): Promise<T> {
    await this.#needEmptyImage(wait);
    const Labels = { [LABEL.owner]: this.#owner, [LABEL.errand]: what };
    const defaults = { Image: EMPTY_IMAGE, Cmd: ["/none"], NetworkDisabled: true };
    const all = { ...defaults, ...options, name, Labels };
    this.#inUse.add(name);
    try {
      // Not given up half way: a container without a known id could not be removed.
      const id = await this.#engine.createContainer(all, undoing());
      try {
        return await work(id);
      } finally {
        await this.#engine.removeContainer(id, undoing());
      }
    } finally {
      this.#inUse.delete(name);
    }
  }

  /** Is the container of that name in use right now, rather than left by a crash? */
  isRunning(name: string): boolean {
    return this.#inUse.has(name);
  }

  async #needEmptyImage(wait: WaitOptions): Promise<void> {
    if ((await this.#engine.inspectImage(EMPTY_IMAGE, wait)) !== null) return;
    const tar = tarOf([{ path: "tmp/", mode: 0o1777, uid: 0, gid: 0 }]);
    const answer = await this.#engine.importImage(
      tar,
      EMPTY_IMAGE,
      [`LABEL ${LABEL.errand}=`],
      wait,
    );
    const said = await text(answer);
    if (!said.includes('"error"')) return;
    throw new OutworkError("placement-unavailable", `The engine imports no image: ${said.trim()}.`);
  }
}

/** For what must be finished although the caller has given up. */
export function undoing(): WaitOptions {
  return { signal: AbortSignal.timeout(UNDO_TIMEOUT_MS) };
}
