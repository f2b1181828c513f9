import { systemCode } from "../errors.ts";

/** What a call says when its name vanished, or became something else, since it was looked at. */
const GONE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENXIO", "EINVAL"]);

/** Null for what a living tree has lost meanwhile. */
export async function unlessGone<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (GONE.has(systemCode(error) ?? "")) return null;
    throw error;
  }
}
