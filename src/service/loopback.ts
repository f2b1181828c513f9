import { isIPv4 } from "node:net";

/** Whether a host name, without its port, can only mean this machine. */
export function isLoopback(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return bare === "localhost" || bare === "::1" || (isIPv4(bare) && bare.startsWith("127."));
}
