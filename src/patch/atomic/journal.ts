import { dirname } from "node:path";
import { OutworkError } from "../../errors.ts";
import { ignoreMissing } from "../files/locate.ts";
import type { DurableFiles } from "../files/port.ts";

/** One file that an atomic patch replaces, makes or removes. */
export interface JournalStep {
  readonly path: string;
  /** The new content waits under this name; null: `path` is removed. */
  readonly fresh: string | null;
  /** SHA-256 of the new content. */
  readonly sha256: string | null;
  /** Another name for what was at `path`; null: nothing was. */
  readonly saved: string | null;
}

/** What an atomic patch is going to do, written down before it does anything. */
export interface Journal {
  readonly id: string;
  /** Folders to be made, outer ones first. */
  readonly folders: readonly string[];
  readonly steps: readonly JournalStep[];
}

const OPEN = ".open.json";
const DONE = ".done.json";

/** The journals of one folder. After a crash, an open one is to be undone, a done one finished. */
export class JournalFolder {
  readonly #files: DurableFiles;
  readonly #folder: string;

  constructor(files: DurableFiles, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** @throws {OutworkError} `enforcement-missing`: without a journal nothing is done */
  async open(journal: Journal): Promise<void> {
    const text = Buffer.from(JSON.stringify(journal));
    try {
      await this.#files.makeFolders(this.#folder);
      await this.#files.syncFolder(dirname(this.#folder));
      await this.#files.create(this.#path(journal.id, OPEN), () => [text], 0o600);
      await this.#sync();
    } catch (cause) {
      const message = `The journal of an atomic patch cannot be written to ${this.#folder}`;
      const facts = { mechanism: "journal", path: this.#folder };
      throw new OutworkError("enforcement-missing", message, { cause, facts });
    }
  }

  /** Once this resolves, the patch has happened. */
  async markDone({ id }: Journal): Promise<void> {
    await this.#files.rename(this.#path(id, OPEN), this.#path(id, DONE));
    await this.#sync();
  }

  async close({ id }: Pick<Journal, "id">): Promise<void> {
    for (const state of [OPEN, DONE]) {
      await this.#files.remove(this.#path(id, state)).catch(ignoreMissing);
    }
    await this.#sync().catch(ignoreMissing);
  }

  /** Journals that a crash left, by state. A journal of null was never written to its end. */
  async left(): Promise<{ id: string; done: boolean; journal: Journal | null }[]> {
    const names = await this.#files.list(this.#folder).catch(ignoreMissing);
    const found = (names ?? []).filter((name) => name.endsWith(OPEN) || name.endsWith(DONE));
    return Promise.all(found.sort().map((name) => this.#read(name)));
  }

  async #read(name: string): Promise<{ id: string; done: boolean; journal: Journal | null }> {
    const done = name.endsWith(DONE);
    const id = name.slice(0, -(done ? DONE : OPEN).length);
    const bytes = await this.#files.read(`${this.#folder}/${name}`);
    return { id, done, journal: parse(Buffer.from(bytes).toString()) };
  }

  #path(id: string, state: string): string {
    return `${this.#folder}/${id}${state}`;
  }

  #sync(): Promise<void> {
    return this.#files.syncFolder(this.#folder);
  }
}

/** A journal is written in one go, so one that parses is whole; a torn one does not parse. */
function parse(text: string): Journal | null {
  try {
    return JSON.parse(text) as Journal;
  } catch {
    return null;
  }
}
