import { connect } from "node:net";

/** Joins stdin and stdout to the agent's socket: how an engine's exec stream reaches it. */
export function bridge(socketPath: string): void {
  const socket = connect({ path: socketPath, allowHalfOpen: true });
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  socket.once("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  socket.once("close", () => process.exit());
}
