import type { Comparison, Instruction, Label } from "./instructions.ts";
import type { SyscallName } from "./syscalls.ts";

/** Where every check ends. */
export const ALLOW: Label = "allow";
export const REFUSE: Label = "refuse";

/** How one call is decided by its arguments. The code ends in jumps to ALLOW and REFUSE. */
export interface Check {
  readonly call: SyscallName;
  readonly code: readonly Instruction[];
}

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. @see linux/sched.h */
const NEW_NAMESPACES = 0x7e020000;
/** Means something else to `clone`. */
const CLONE_NEWTIME = 0x80;

/**
 * Terminal requests that type for the user (TIOCSTI, TIOCLINUX), take the console's output (TIOCCONS)
 * or load line disciplines (TIOCSETD). @see asm-generic/ioctls.h
 */
const REFUSED_REQUESTS = [0x5412, 0x541c, 0x541d, 0x5423];

/** Checks under every policy. The kernel looks at 32 bits of each of these arguments. */
export const COMMON_CHECKS: readonly Check[] = [
  { call: "clone", code: [argument(0), refuseWhen("any-bit-of", NEW_NAMESPACES), allow()] },
  {
    call: "unshare",
    code: [argument(0), refuseWhen("any-bit-of", NEW_NAMESPACES | CLONE_NEWTIME), allow()],
  },
  {
    call: "ioctl",
    code: [
      argument(1),
      ...REFUSED_REQUESTS.map((request) => refuseWhen("equal", request)),
      allow(),
    ],
  },
];

/** @see linux/seccomp.h: six arguments of 64 bits follow 16 bytes, low half first */
export function argument(index: number, half: "low" | "high" = "low"): Instruction {
  return { kind: "load", offset: 16 + 8 * index + (half === "low" ? 0 : 4) };
}

export function refuseWhen(when: Comparison, value: number): Instruction {
  return { kind: "jump", when, value, yes: REFUSE, no: null };
}

export function refuseUnless(when: Comparison, value: number): Instruction {
  return { kind: "jump", when, value, yes: null, no: REFUSE };
}

export function allowWhen(when: Comparison, value: number): Instruction {
  return { kind: "jump", when, value, yes: ALLOW, no: null };
}

export function allow(): Instruction {
  return { kind: "go", to: ALLOW };
}

export function refuse(): Instruction {
  return { kind: "go", to: REFUSE };
}
