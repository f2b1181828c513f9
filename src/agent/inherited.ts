import { closeSync, readdirSync, readFileSync } from "node:fs";

const STANDARD_STREAMS = 3;
/** @see open(2): the flag as `/proc/self/fdinfo` shows it, in octal */
const O_CLOEXEC = 0o2000000;

/**
 * Closes descriptors that whoever started the agent left open. Every command would inherit them, and
 * an open descriptor is a way round any sandbox. Node's own all close by themselves on exec.
 */
export function closeInherited(): void {
  for (const name of readdirSync("/proc/self/fd")) {
    const descriptor = Number(name);
    if (descriptor >= STANDARD_STREAMS && survivesExec(descriptor)) closeSync(descriptor);
  }
}

function survivesExec(descriptor: number): boolean {
  try {
    const facts = readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1");
    const flags = Number.parseInt(/^flags:\s+([0-7]+)$/m.exec(facts)?.[1] ?? "0", 8);
    return (flags & O_CLOEXEC) === 0;
  } catch {
    // The descriptor of the listing itself, closed by now.
    return false;
  }
}
