import type { Duplex } from "node:stream";
import { z } from "zod";
import { Problem } from "../../contract/problem.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import { asError, fromProblem, OutworkError } from "../../errors.ts";
import { agentConfig } from "./agent-config.ts";
import { Bridge } from "./bridge.ts";
import type { Plan } from "./container.ts";
import type { Engine } from "./engine.ts";
import { EngineRefusal } from "./engine-call.ts";
import { undoing } from "./errands.ts";
import { makeFolders, refuseTakenFolder } from "./folders.ts";

/** The agent's first line. */
const Report = z.union([z.object({ ready: z.literal(true) }), z.object({ problem: Problem })]);

/**
 * Starts and furnishes a created container, and waits until its agent listens.
 * @throws `start-failed` with what engine or agent said, or the agent's own problem
 */
export async function startAgent(
  engine: Engine,
  containerId: string,
  plan: Plan,
  wait: WaitOptions,
): Promise<void> {
  await refuseTakenFolder(engine, containerId, plan, wait);
  const output = new Bridge(await engine.attach(containerId, wait));
  const line = firstLine(output, wait);
  line.catch(() => {});
  try {
    output.end(JSON.stringify(agentConfig(plan)));
    await engine.startContainer(containerId, wait);
    // The agent needs the folders only for commands, and starts meanwhile. What it says comes first.
    const furnished = makeFolders(engine, containerId, plan, wait);
    furnished.catch(() => {});
    readReport(plan, await line);
    await furnished;
  } catch (error) {
    wait.signal.throwIfAborted();
    throw await explain(error, engine, containerId, plan);
  } finally {
    output.destroy();
  }
}

async function firstLine(output: Duplex, { signal }: WaitOptions): Promise<string> {
  const abort = () => output.destroy(asError(signal.reason));
  signal.addEventListener("abort", abort, { once: true });
  let text = "";
  try {
    for await (const chunk of output) {
      text += String(chunk);
      if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
    }
  } finally {
    signal.removeEventListener("abort", abort);
  }
  throw new Error(text === "" ? "it said nothing" : text);
}

function readReport({ identity }: Plan, line: string): void {
  const report = Report.safeParse(parse(line));
  if (!report.success) throw new Error(`it said ${line}`);
  if ("ready" in report.data) return;
  const problem = fromProblem(report.data.problem);
  throw new OutworkError(problem.code, `In ${identity.spec.id}: ${problem.message}`, {
    facts: problem.facts,
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

async function explain(
  error: unknown,
  engine: Engine,
  containerId: string,
  { identity }: Plan,
): Promise<unknown> {
  if (error instanceof OutworkError) return error;
  const { id, limits } = identity.spec;
  const said = asError(error).message;
  const options = { facts: { said }, cause: error };
  if (error instanceof EngineRefusal) {
    return new OutworkError(
      "start-failed",
      `The engine could not start the container of ${id}: ${said}.`,
      options,
    );
  }
  const details = await engine.inspectContainer(containerId, undoing()).catch(() => null);
  if (details?.State.OOMKilled) {
    return new OutworkError(
      "start-failed",
      `The agent of ${id} does not fit into ${limits.memory_bytes} bytes of memory: raise ` +
        "limits.memory_bytes.",
      options,
    );
  }
  return new OutworkError(
    "start-failed",
    `The agent of ${id} ended before it was ready: ${said}.`,
    options,
  );
}
