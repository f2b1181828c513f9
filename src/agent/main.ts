import { toProblem } from "../errors.ts";

/** What starters read from stdout: one line, `{"ready":true}` or `{"problem":…}`. */
function report(line: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function serve(configPath: string): Promise<void> {
  // Whoever started the agent may be gone before it ends.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  try {
    const { serveAgent } = await import("./serve.ts");
    await serveAgent(configPath);
    report({ ready: true });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    report({ problem: toProblem(error) });
    process.exitCode = 1;
  }
}

/** Each verb loads its own modules only: an idle agent should weigh little. */
async function main([verb, ...args]: readonly string[]): Promise<void> {
  const [first = ""] = args;
  if (verb === "serve") return serve(first);
  if (verb === "bridge") return (await import("./bridge.ts")).bridge(first);
  if (verb === "helper") return (await import("./helper.ts")).runHelper(args);
  process.stderr.write("usage: agent serve CONFIG | bridge SOCKET | helper VERB …\n");
  process.exitCode = 2;
}

void main(process.argv.slice(2));
