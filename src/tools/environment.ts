import { unknownEnvironment } from "./failures.ts";

/**
 * The environment that a call is for: the one it names, or else the turn's primary one.
 * @param environments ids of the turn's environments, the primary one first
 * @throws `tool-failed` when the call names another
 */
export function chooseEnvironment(
  requested: string | null | undefined,
  environments: readonly [string, ...string[]],
): string {
  const id = requested ?? environments[0];
  if (!environments.includes(id)) throw unknownEnvironment(id);
  return id;
}
