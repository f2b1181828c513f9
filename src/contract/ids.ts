import { z } from "zod";

/** Ids that clients of the exec-server protocol keep for themselves. */
const RESERVED_ENVIRONMENT_IDS = ["local", "none"];

/** Names one environment: letters, digits, `-` and `_`, at most 64; not `local` or `none`. */
export const EnvironmentId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "an environment id is 1 to 64 of A-Z a-z 0-9 _ -")
  .refine((id) => !RESERVED_ENVIRONMENT_IDS.includes(id), "`local` and `none` are reserved")
  .meta({ id: "EnvironmentId" });
export type EnvironmentId = z.infer<typeof EnvironmentId>;

/** Names one process within its environment. Chosen by the caller, or `proc_…` when left out. */
export const ProcessId = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, "a process id is 1 to 128 of A-Z a-z 0-9 _ . : -")
  .meta({ id: "ProcessId" });
export type ProcessId = z.infer<typeof ProcessId>;

/** An absolute path inside an environment, without `.`, `..`, doubled slashes or NUL. */
export const AbsolutePath = z
  .string()
  .max(4095)
  .refine(isNormalAbsolute, "must be an absolute path without `.`, `..`, `//` or NUL")
  .meta({ id: "AbsolutePath" });
export type AbsolutePath = z.infer<typeof AbsolutePath>;

function isNormalAbsolute(path: string): boolean {
  if (path === "/") return true;
  if (!path.startsWith("/") || path.includes("\0")) return false;
  return path
    .slice(1)
    .split("/")
    .every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

/** An instant, ISO 8601 in UTC with milliseconds. */
export const Instant = z.iso.datetime();

/** Environment variables: names without `=` or NUL, values without NUL. */
export const Variables = z
  .record(
    z.string().regex(/^[^=\0]+$/, "a variable name is not empty and has no `=` or NUL"),
    z.string().refine((value) => !value.includes("\0"), "a variable's value has no NUL"),
  )
  .meta({ id: "Variables" });
export type Variables = z.infer<typeof Variables>;
