import { ALLOW, COMMON_CHECKS, REFUSE } from "./checks.ts";
import { assemble, type Instruction, type Label } from "./instructions.ts";
import { REFUSED_CALLS } from "./refused.ts";
import { rangesOf, search } from "./search.ts";
import { type Network, refusedSocketCalls, socketChecks } from "./sockets.ts";
import { type Architecture, LAST_SYSCALL, type SyscallName, syscallNumber } from "./syscalls.ts";

/** @see linux/audit.h */
const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

/** @see linux/seccomp.h */
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const RET_KILL_PROCESS = 0x80000000;
const RET_ERRNO = 0x00050000;
const RET_ALLOW = 0x7fff0000;
const EPERM = 1;
const ENOSYS = 38;

const UNKNOWN: Label = "unknown";
const FOREIGN: Label = "foreign";

/**
 * The seccomp program of one command. Everything is allowed but what is named: that gets EPERM. Calls
 * younger than the table and those of the x32 kind get ENOSYS, and so does `clone3`, whose flags lie
 * in memory where no filter can read them: programs then use `clone`. Calls of another architecture
 * (32-bit programs) end the process.
 */
export function seccompProgram(architecture: Architecture, network: Network): Uint8Array {
  const checks = [...COMMON_CHECKS, ...socketChecks(network)];
  const refused = [...REFUSED_CALLS, ...refusedSocketCalls(network)];
  const decided = new Map<number, Label>();
  const decide = (call: SyscallName, label: Label) => {
    const number = syscallNumber(call, architecture);
    if (number !== null) decided.set(number, label);
  };
  for (const call of refused) decide(call, REFUSE);
  for (const { call } of checks) decide(call, call);
  decide("clone3", UNKNOWN);
  return assemble([
    ...entry(architecture),
    ...search(rangesOf(decided, ALLOW)),
    ...checks.flatMap(({ call, code }) => [label(call), ...code]),
    ...ends(),
  ]);
}

function entry(architecture: Architecture): readonly Instruction[] {
  const own = AUDIT_ARCH[architecture];
  return [
    { kind: "load", offset: ARCHITECTURE_OFFSET },
    { kind: "jump", when: "equal", value: own, yes: null, no: FOREIGN },
    { kind: "load", offset: NUMBER_OFFSET },
    { kind: "jump", when: "more-than", value: LAST_SYSCALL, yes: UNKNOWN, no: null },
  ];
}

function ends(): readonly Instruction[] {
  return [
    label(ALLOW),
    { kind: "return", value: RET_ALLOW },
    label(REFUSE),
    { kind: "return", value: RET_ERRNO | EPERM },
    label(UNKNOWN),
    { kind: "return", value: RET_ERRNO | ENOSYS },
    label(FOREIGN),
    { kind: "return", value: RET_KILL_PROCESS },
  ];
}

function label(name: Label): Instruction {
  return { kind: "label", label: name };
}
