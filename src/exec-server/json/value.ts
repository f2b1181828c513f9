/**
 * A JSON number as it was written. Ids and offsets go beyond what a double holds, and `1.0` is not
 * the integer 1 in this protocol, so nothing is converted before it is known what it is for.
 */
export class JsonNumber {
  readonly literal: string;

  constructor(literal: string) {
    this.literal = literal;
  }
}

/** Objects are maps: their keys come from the peer. */
export type JsonObject = ReadonlyMap<string, Json>;
export type Json = null | boolean | string | JsonNumber | readonly Json[] | JsonObject;

/** The same value as `JSON.parse` would have given it. Numbers become doubles. */
export function plain(value: Json): unknown {
  if (value instanceof JsonNumber) return Number(value.literal);
  if (value instanceof Map) return plainObject(value);
  if (Array.isArray(value)) return value.map(plain);
  return value;
}

function plainObject(object: JsonObject): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const [key, value] of object) define(result, key, plain(value));
  return result;
}

/** A key such as `__proto__` is a member like any other. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}
