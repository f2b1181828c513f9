import type { ContainerOptions } from "./engine.ts";

/** What the walls around a container are made of on this engine. */
export interface Walls {
  /** Text of the seccomp profile. */
  readonly seccomp: string;
  /** AppArmor profile; null where the engine has no AppArmor. */
  readonly appArmor: string | null;
}

/**
 * The security half of every container we start. Nothing inside is uid 0 or has a capability, ever:
 * that alone is what makes an unmasked `/proc` safe, and the sandboxes of commands need one, since the
 * kernel mounts a fresh `/proc` only where nothing of the old one is hidden.
 */
export function walledHost({
  seccomp,
  appArmor,
}: Walls): NonNullable<ContainerOptions["HostConfig"]> {
  return {
    CapDrop: ["ALL"],
    Privileged: false,
    SecurityOpt: [
      "no-new-privileges",
      `seccomp=${seccomp}`,
      ...(appArmor === null ? [] : [`apparmor=${appArmor}`]),
    ],
    MaskedPaths: [],
    ReadonlyPaths: [],
    IpcMode: "private",
    RestartPolicy: { Name: "no" },
  };
}
