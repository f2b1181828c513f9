/** The agent's log: one JSON object a line on stderr, which the service re-emits as its own. */
export function logLine(msg: string, facts: Readonly<Record<string, unknown>>): void {
  process.stderr.write(`${JSON.stringify({ time: Date.now(), msg, ...facts })}\n`);
}
