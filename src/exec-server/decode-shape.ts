import { type Decoder, mismatch } from "./decode.ts";
import { DecodeError } from "./decode-error.ts";
import type { Json } from "./json/value.ts";
import { clip } from "./quote.ts";

/** One member of an object: how it decodes, and what stands for it when it is left out. */
export interface Member<T> {
  readonly decode: Decoder<T>;
  readonly absent?: () => T;
}

type Members = Readonly<Record<string, Member<unknown>>>;
export type Shape<M extends Members> = {
  readonly [K in keyof M]: M[K] extends Member<infer T> ? T : never;
};

export function required<T>(decode: Decoder<T>): Member<T> {
  return { decode };
}

/** May be left out, but not be null. */
export function defaulted<T>(decode: Decoder<T>, value: T): Member<T> {
  return { decode, absent: () => value };
}

/** May be left out or null; both mean `value`. */
export function optional<T>(decode: Decoder<T>): Member<T | null>;
export function optional<T, D>(decode: Decoder<T>, value: D): Member<T | D>;
export function optional<T>(decode: Decoder<T>, value: unknown = null): Member<unknown> {
  return { decode: (json) => (json === null ? value : decode(json)), absent: () => value };
}

/**
 * An object with these members; others are ignored. An array of all of them in order stands for the
 * object. `name` is what errors call it.
 */
export function struct<M extends Members>(name: string, members: M): Decoder<Shape<M>> {
  return (value) => {
    if (Array.isArray(value)) return fromObject(members, fromArray(name, members, value));
    if (!(value instanceof Map)) throw mismatch(value, `struct ${name}`);
    return fromObject(members, value);
  };
}

function fromArray(name: string, members: Members, items: readonly Json[]): Map<string, Json> {
  const names = Object.keys(members);
  if (items.length > names.length) {
    throw new DecodeError(`invalid length ${items.length}, expected fewer elements in array`);
  }
  if (items.length < names.length) {
    const expected = `struct ${name} with ${names.length} elements`;
    throw new DecodeError(`invalid length ${items.length}, expected ${expected}`);
  }
  return new Map(names.map((key, index) => [key, items[index] ?? null]));
}

/** What is there must decode before what is missing is complained of. */
function fromObject<M extends Members>(members: M, object: ReadonlyMap<string, Json>): Shape<M> {
  const result: Record<string, unknown> = {};
  for (const [key, { decode }] of Object.entries(members)) {
    const value = object.get(key);
    if (value !== undefined) result[key] = decode(value);
  }
  for (const [key, { absent }] of Object.entries(members)) {
    if (Object.hasOwn(result, key)) continue;
    if (absent === undefined) throw new DecodeError(`missing field \`${key}\``);
    result[key] = absent();
  }
  return result as Shape<M>;
}

/** One of these words. */
export function oneOf<const W extends readonly string[]>(...words: W): Decoder<W[number]> {
  return (value) => {
    const word = value instanceof Map ? unitVariant(value) : value;
    if (typeof word !== "string") throw mismatch(word, "string or map");
    return known(word, words);
  };
}

/** `{"word": null}` is another spelling of `"word"`. */
function unitVariant(object: ReadonlyMap<string, Json>): Json {
  const [[word, content] = ["", null]] = object;
  if (object.size !== 1)
    throw new DecodeError("invalid value: map, expected map with a single key");
  if (content !== null) throw mismatch(content, "unit");
  return word;
}

/** An object whose member `tag` says which of the variants it is; each decodes the whole object. */
export function tagged<V extends Readonly<Record<string, Decoder<unknown>>>>(
  name: string,
  tag: string,
  variants: V,
): Decoder<{ [K in keyof V & string]: { readonly is: K } & ReturnType<V[K]> }[keyof V & string]>;
export function tagged(
  name: string,
  tag: string,
  variants: Readonly<Record<string, Decoder<object>>>,
): Decoder<object> {
  return (value) => {
    if (!(value instanceof Map)) throw mismatch(value, `internally tagged enum ${name}`);
    const word = value.get(tag);
    if (word === undefined) throw new DecodeError(`missing field \`${tag}\``);
    if (typeof word !== "string") throw mismatch(word, "variant identifier");
    const is = known(word, Object.keys(variants));
    return { is, ...variants[is]?.(value) };
  };
}

function known<W extends string>(word: string, words: readonly W[]): W {
  const found = words.find((candidate) => candidate === word);
  if (found !== undefined) return found;
  const quoted = words.map((candidate) => `\`${candidate}\``);
  const list = quoted.length > 2 ? `one of ${quoted.join(", ")}` : quoted.join(" or ");
  throw new DecodeError(`unknown variant \`${clip(word)}\`, expected ${list}`);
}
