/** Calls that are not counted: what is compiled, cached and opened on the way. */
const WARM_UP = 20;

/** How long each of several calls took, in milliseconds. */
export interface Latency {
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** One call after another. */
export async function latency(count: number, call: () => Promise<unknown>): Promise<Latency> {
  for (let done = 0; done < WARM_UP; done += 1) await call();
  const times: number[] = [];
  for (let done = 0; done < count; done += 1) times.push(await timeOf(call));
  return { medianMs: quantile(times, 0.5), p99Ms: quantile(times, 0.99) };
}

/** Calls per second when so many are under way all the time. */
export async function rate(
  count: number,
  concurrency: number,
  call: () => Promise<unknown>,
): Promise<number> {
  let left = count;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  const workers = () => Promise.all(Array.from({ length: concurrency }, worker));
  return count / ((await timeOf(workers)) / 1000);
}

export async function timeOf(call: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

/** The smallest of the values that as many as this share do not pass. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
