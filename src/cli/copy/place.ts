import { UsageError } from "../usage-error.ts";

/** One side of a copy. */
export type Place =
  | { readonly kind: "here"; readonly path: string }
  | { readonly kind: "there"; readonly environmentId: string; readonly path: string }
  /** Our stdin or stdout, which carries a tar stream. */
  | { readonly kind: "stream" };

/** `ENV:PATH`, `-`, or a path here; one here whose start looks like an id is written `./a:b`. */
export function place(word: string): Place {
  if (word === "-") return { kind: "stream" };
  const [, environmentId, path] = /^([A-Za-z0-9_-]{1,64}):(.*)$/s.exec(word) ?? [];
  if (environmentId === undefined || path === undefined) return { kind: "here", path: word };
  return { kind: "there", environmentId, path };
}

/** What a copy is to do. */
export type Route =
  | { readonly way: "up"; readonly from: Exclude<Place, There>; readonly to: There }
  | { readonly way: "down"; readonly from: There; readonly to: Exclude<Place, There> };

type There = Extract<Place, { kind: "there" }>;

/** @throws UsageError unless exactly one side is in an environment */
export function route(source: string, destination: string): Route {
  const [from, to] = [place(source), place(destination)];
  if (from.kind === "there" && to.kind !== "there") return { way: "down", from, to };
  if (from.kind !== "there" && to.kind === "there") return { way: "up", from, to };
  throw new UsageError("exactly one side must be in an environment, as ENV:PATH");
}
