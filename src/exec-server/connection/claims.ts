import { fitsHost, nativePath, type PathUri } from "../path-uri.ts";

/**
 * What a request names. Two requests of one connection that name the same thing, or one path inside
 * the other, are carried out in the order in which they came, unless both only look.
 */
export interface Claim {
  readonly kind: "process" | "handle" | "path";
  readonly name: string;
  readonly use: "look" | "change";
}

export function processClaim(name: string, use: Claim["use"]): Claim {
  return { kind: "process", name, use };
}

export function handleClaim(name: string, use: Claim["use"]): Claim {
  return { kind: "handle", name, use };
}

/** Links are not resolved: a request names what it says. */
export function pathClaim(uri: PathUri, use: Claim["use"]): Claim {
  const name = fitsHost(uri) ? nativePath(uri) : uri;
  return { kind: "path", name: name === "/" ? name : `${name}/`, use };
}

export function collide(ours: readonly Claim[], theirs: readonly Claim[]): boolean {
  return ours.some((our) => theirs.some((their) => meet(our, their)));
}

function meet(a: Claim, b: Claim): boolean {
  if (a.kind !== b.kind || (a.use === "look" && b.use === "look")) return false;
  if (a.kind !== "path") return a.name === b.name;
  return a.name.startsWith(b.name) || b.name.startsWith(a.name);
}
