import { allow, allowWhen, argument, type Check, refuse, refuseUnless } from "./checks.ts";
import type { Instruction } from "./instructions.ts";
import type { SyscallName } from "./syscalls.ts";

/**
 * Which network a command is in: none; its environment's own; the host's, where programs of other
 * users listen on Unix sockets by abstract names, which no mount hides.
 */
export type Network = "off" | "own" | "host";

/** @see sys/socket.h */
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const SOCK_STREAM = 1;
const SOCK_SEQPACKET = 5;
/** What the low bits of a socket's type say; the others are flags. */
const TYPE_MASK = 0xf;

/** Calls that only sockets with names need. */
const NAMING_CALLS: readonly SyscallName[] = ["accept", "accept4", "bind", "connect", "listen"];

/** Calls without network that no arguments make harmless. */
export function refusedSocketCalls(network: Network): readonly SyscallName[] {
  return network === "off" ? NAMING_CALLS : [];
}

/**
 * Without network there are only pairs of Unix sockets, as the streams of every command are. With the
 * host's network there are internet sockets and, again, only pairs. Families beyond these, each a
 * part of the kernel of its own, are for nobody.
 */
export function socketChecks(network: Network): readonly Check[] {
  switch (network) {
    case "off":
      return [
        { call: "socket", code: unixPair() },
        { call: "socketpair", code: unixPair() },
        { call: "sendto", code: withoutAddress() },
      ];
    case "own":
      return [
        { call: "socket", code: [argument(0), allowWhen("equal", AF_UNIX), ...internet()] },
        { call: "socketpair", code: [argument(0), refuseUnless("equal", AF_UNIX), allow()] },
      ];
    case "host":
      return [
        { call: "socket", code: [argument(0), ...internet()] },
        { call: "socketpair", code: unixPair() },
      ];
  }
}

/** Datagram sockets are out: they reach any name with `sendmsg`, connected or not. */
function unixPair(): readonly Instruction[] {
  return [
    argument(0),
    refuseUnless("equal", AF_UNIX),
    argument(1),
    { kind: "and", mask: TYPE_MASK },
    allowWhen("equal", SOCK_STREAM),
    allowWhen("equal", SOCK_SEQPACKET),
    refuse(),
  ];
}

/** Expects the family. Of netlink only what name lookups ask for addresses and routes. */
function internet(): readonly Instruction[] {
  return [
    allowWhen("equal", AF_INET),
    allowWhen("equal", AF_INET6),
    refuseUnless("equal", AF_NETLINK),
    argument(2),
    refuseUnless("equal", NETLINK_ROUTE),
    allow(),
  ];
}

function withoutAddress(): readonly Instruction[] {
  return [
    argument(4, "high"),
    refuseUnless("equal", 0),
    argument(4),
    refuseUnless("equal", 0),
    allow(),
  ];
}
