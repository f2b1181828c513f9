import type { DurableFiles } from "../../../../src/patch/files/port.ts";

/** Calls that change something on disk. */
const CHANGES = new Set<PropertyKey>([
  "write",
  "makeFolders",
  "remove",
  "create",
  "setOwner",
  "link",
  "rename",
  "makeFolder",
  "removeFolder",
  "syncFolder",
]);

/** What to do before a change: throw to make it fail. `count` is from 1. */
export type BeforeChange = (call: PropertyKey, count: number, path: string) => void | Promise<void>;

/** The same files, with something happening before each change to them. */
export function watched<F extends DurableFiles>(files: F, before: BeforeChange): F {
  let count = 0;
  return new Proxy(files, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return async (...args: [string]) => {
        if (CHANGES.has(name)) await before(name, ++count, args[0]);
        return member.apply(target, args);
      };
    },
  });
}

/** Files that are gone for good from their n-th change on: what a crash looks like from inside. */
export function crashing<F extends DurableFiles>(files: F, at: number): F {
  let gone = false;
  return watched(files, (_, count) => {
    gone ||= count === at;
    if (gone) throw new Error("crashed");
  });
}
