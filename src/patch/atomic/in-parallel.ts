/** Enough to let a disk bring several files to stable storage in one go. */
const AT_ONCE = 16;

/** Works on all items, a few at a time. When one fails, no other is begun; rejects when all rest. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  let failed = false;
  const worker = async () => {
    for (const item of waiting) {
      if (failed) return;
      await work(item).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  for (const ended of workers) if (ended.status === "rejected") throw ended.reason;
}
