import { execFileSync } from "node:child_process";

/** A named pipe: what must never be waited for. */
export function makePipe(path: string): void {
  execFileSync("mkfifo", [path]);
}
