import { UsageError } from "./usage-error.ts";

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 };
const TIMES = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SIZES = { b: 1, k: 1_024, m: 1_048_576, g: 1_073_741_824 };

type Scaled<T> = T extends string ? number : undefined;

/** `90`, `90s`, `15m`, `2h` or `1d`, in milliseconds. A flag that was not given stays undefined. */
export function milliseconds<T extends string | undefined>(flag: string, text: T): Scaled<T> {
  return scaled(flag, text, { unit: "s", factors: TIMES, wanted: "a time: 90s, 15m, 2h, 1d" });
}

/** `1048576`, `512k`, `512m` or `2g`, in bytes. */
export function bytes<T extends string | undefined>(flag: string, text: T): Scaled<T> {
  return scaled(flag, text, { unit: "b", factors: SIZES, wanted: "a size: 512m, 2g" });
}

/** A number as it is. */
export function number<T extends string | undefined>(flag: string, text: T): Scaled<T> {
  return scaled(flag, text, { unit: "", factors: { "": 1 }, wanted: "a number" });
}

interface Scale {
  /** The unit of a bare number. */
  readonly unit: string;
  readonly factors: Readonly<Record<string, number>>;
  readonly wanted: string;
}

function scaled<T extends string | undefined>(
  flag: string,
  text: T,
  { unit: bare, factors, wanted }: Scale,
): Scaled<T> {
  if (text === undefined) return undefined as Scaled<T>;
  const [, digits, unit = bare] = /^(\d+(?:\.\d+)?)([a-z])?$/.exec(text.toLowerCase()) ?? [];
  const factor = factors[unit];
  if (digits === undefined || factor === undefined) {
    throw new UsageError(`${flag} takes ${wanted}; not \`${text}\``);
  }
  return (Number(digits) * factor) as Scaled<T>;
}

const MAGNITUDES = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Bytes for people: `0 B`, `1.5 KiB`, `12 MiB`. */
export function shownBytes(count: number): string {
  let [value, magnitude] = [count, 0];
  while (value >= 1_024 && magnitude < MAGNITUDES.length - 1) {
    value /= 1_024;
    magnitude += 1;
  }
  const digits = magnitude === 0 || value >= 10 ? 0 : 1;
  return `${value.toFixed(digits)} ${MAGNITUDES[magnitude]}`;
}

/** How long ago an instant was, in its largest unit: `5s`, `12m`, `3h`, `4d`. */
export function age(instant: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(instant)) / 1_000));
  const [unit = "s", size = 1] =
    Object.entries(SECONDS).findLast(([, length]) => seconds >= length) ?? [];
  return `${Math.floor(seconds / size)}${unit}`;
}
