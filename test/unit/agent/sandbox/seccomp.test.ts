import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { COMMON_CHECKS } from "../../../../src/agent/sandbox/seccomp/checks.ts";
import { seccompProgram } from "../../../../src/agent/sandbox/seccomp/program.ts";
import { REFUSED_CALLS } from "../../../../src/agent/sandbox/seccomp/refused.ts";
import {
  type Network,
  refusedSocketCalls,
  socketChecks,
} from "../../../../src/agent/sandbox/seccomp/sockets.ts";
import {
  type Architecture,
  LAST_SYSCALL,
  type SyscallName,
  syscallNumber,
} from "../../../../src/agent/sandbox/seccomp/syscalls.ts";
import { judge, type Verdict } from "./seccomp-machine.ts";

const NETWORKS: readonly Network[] = ["off", "own", "host"];
const ARCHITECTURES: readonly Architecture[] = ["x64", "arm64"];
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
/** On x86-64 and on arm64, from the headers of Linux 6.1. */
const KERNEL_NUMBERS: Readonly<Record<string, (number | null)[]>> = JSON.parse(
  readFileSync("test/fixtures/syscalls.json", "utf8"),
);
const EPERM = "errno 1";
const ENOSYS = "errno 38";

/** Asks the filter of one machine and network for one call by name. */
function asker(architecture: Architecture, network: Network) {
  const program = seccompProgram(architecture, network);
  return (name: SyscallName, ...args: number[]): Verdict => {
    const number = syscallNumber(name, architecture);
    assert.ok(number !== null, name);
    return judge(program, {
      number,
      architecture: AUDIT[architecture],
      args: args.map((each) => BigInt.asUintN(64, BigInt(each))),
    });
  };
}

function forEachFilter(act: (architecture: Architecture, network: Network) => void): void {
  for (const architecture of ARCHITECTURES)
    for (const network of NETWORKS) act(architecture, network);
}

/** Where calls are decided by their arguments, which are zero here. */
const BY_ARGUMENTS = ["clone", "unshare", "ioctl", "socket", "socketpair", "sendto"] as const;
const WITHOUT_NETWORK = ["accept", "accept4", "bind", "connect", "listen"] as const;

test("every call but those by name is allowed, on each machine and network", () => {
  forEachFilter((architecture, network) => {
    const program = seccompProgram(architecture, network);
    const named = [...REFUSED_CALLS, ...(network === "off" ? WITHOUT_NETWORK : [])];
    const refused = new Set(named.map((name) => syscallNumber(name, architecture)));
    const skipped = new Set(
      [...BY_ARGUMENTS, "clone3" as const].map((name) => syscallNumber(name, architecture)),
    );
    for (let number = 0; number <= LAST_SYSCALL; number += 1) {
      if (skipped.has(number)) continue;
      const verdict = judge(program, { number, architecture: AUDIT[architecture] });
      assert.equal(verdict, refused.has(number) ? EPERM : "allow", `${architecture} ${number}`);
    }
  });
});

test("calls that are younger than the table, of the x32 kind or negative do not exist", () => {
  forEachFilter((architecture, network) => {
    const program = seccompProgram(architecture, network);
    const numbers = [LAST_SYSCALL + 1, 1000, 0x40000000, 0x40000000 + 41, 0x7fffffff, 0xffffffff];
    const verdicts = numbers.map((number) =>
      judge(program, { number, architecture: AUDIT[architecture] }),
    );
    assert.deepEqual(
      verdicts,
      numbers.map(() => ENOSYS),
    );
  });
});

test("a call of another architecture ends the process, whatever its number", () => {
  forEachFilter((architecture, network) => {
    const program = seccompProgram(architecture, network);
    const foreign = fc
      .integer({ min: 0, max: 0xffffffff })
      .filter((each) => each !== AUDIT[architecture]);
    fc.assert(
      fc.property(foreign, fc.integer({ min: 0, max: 600 }), (other, number) => {
        assert.equal(judge(program, { number, architecture: other }), "kill");
      }),
    );
  });
});

test("processes and threads may be made, namespaces may not", () => {
  forEachFilter((architecture, network) => {
    const ask = asker(architecture, network);
    const [thread, fork, vfork] = [0x3d0f00, 0x1200011, 0x4111];
    assert.deepEqual(
      [thread, fork, vfork].map((flags) => ask("clone", flags)),
      ["allow", "allow", "allow"],
    );
    const kinds = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000];
    for (const flag of kinds) {
      assert.equal(ask("clone", flag | 17), EPERM);
      assert.equal(ask("unshare", flag), EPERM);
    }
    assert.deepEqual(
      [ask("unshare", 0x80), ask("unshare", 0x200), ask("unshare", 0x600)],
      [EPERM, "allow", "allow"],
    );
    assert.equal(ask("clone3"), ENOSYS);
  });
});

test("a terminal request is known by its low half, as the kernel knows it", () => {
  forEachFilter((architecture, network) => {
    const ask = asker(architecture, network);
    const [TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD] = [0x5412, 0x541c, 0x541d, 0x5423];
    for (const request of [TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSETD]) {
      assert.equal(ask("ioctl", 0, request), EPERM);
      assert.equal(ask("ioctl", 0, request + 2 ** 32), EPERM);
    }
    const [TCGETS, TIOCGWINSZ, TIOCSCTTY, FIONREAD] = [0x5401, 0x5413, 0x540e, 0x541b];
    for (const request of [TCGETS, TIOCGWINSZ, TIOCSCTTY, FIONREAD])
      assert.equal(ask("ioctl", 0, request), "allow");
  });
});

test("NE-03: only the sockets of a network's kind can be made", () => {
  const [UNIX, INET, INET6, NETLINK, PACKET, ALG, VSOCK, XDP] = [1, 2, 10, 16, 17, 38, 40, 44];
  const families = [UNIX, INET, INET6, NETLINK, PACKET, ALG, VSOCK, XDP];
  const allowed = { off: [UNIX], own: [UNIX, INET, INET6, NETLINK], host: [INET, INET6, NETLINK] };
  forEachFilter((architecture, network) => {
    const ask = asker(architecture, network);
    const made = families.filter((family) => ask("socket", family, 1 | 0x80800) === "allow");
    assert.deepEqual(made, allowed[network]);
    const paired = families.filter((family) => ask("socketpair", family, 1) === "allow");
    assert.deepEqual(paired, [UNIX]);
  });
});

test("of netlink only addresses and routes may be asked", () => {
  for (const network of ["own", "host"] as const) {
    const ask = asker("x64", network);
    const verdicts = [0, 2, 4, 9, 12, 15].map((protocol) => ask("socket", 16, 3, protocol));
    assert.deepEqual(verdicts, ["allow", EPERM, EPERM, EPERM, EPERM, EPERM]);
  }
});

test("where others may listen, Unix sockets are pairs that know no names", () => {
  const [STREAM, DGRAM, RAW, SEQPACKET] = [1, 2, 3, 5];
  const kinds = [STREAM, DGRAM, RAW, SEQPACKET];
  for (const network of ["off", "host"] as const) {
    const ask = asker("arm64", network);
    const verdicts = kinds.map((kind) => ask("socketpair", 1, kind | 0x80000));
    assert.deepEqual(verdicts, ["allow", EPERM, EPERM, "allow"]);
  }
  const ask = asker("arm64", "off");
  assert.deepEqual(
    kinds.map((kind) => ask("socket", 1, kind)),
    ["allow", EPERM, EPERM, "allow"],
  );
  const [low, high] = [0x7ffe1000, 2 ** 40];
  const verdicts = [0, low, high].map((address) => ask("sendto", 3, 0, 0, 0, address));
  assert.deepEqual(verdicts, ["allow", EPERM, EPERM]);
});

test("the table has the numbers of the kernel's own headers", () => {
  const checked = NETWORKS.flatMap((network) => [
    ...socketChecks(network).map(({ call }) => call),
    ...refusedSocketCalls(network),
  ]);
  const common = COMMON_CHECKS.map(({ call }) => call);
  const names = new Set([...REFUSED_CALLS, ...common, ...checked, "clone3" as const]);
  const younger = [...names].filter((name) => KERNEL_NUMBERS[name] === undefined);
  assert.deepEqual(younger.sort(), ["listns", "open_tree_attr"]);
  for (const name of names) {
    const numbers = ARCHITECTURES.map((architecture) => syscallNumber(name, architecture));
    assert.deepEqual(numbers, KERNEL_NUMBERS[name] ?? numbers, name);
  }
});
