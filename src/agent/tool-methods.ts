import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AgentConfig } from "../contract/agent.ts";
import { RETAINED_BYTES } from "../contract/constants.ts";
import type { StartToolProcess, ToolProcess } from "../tools/ports.ts";
import { ToolSessions } from "../tools/sessions.ts";
import type { AgentProcess } from "./processes/agent-process.ts";
import { NO_DEADLINES } from "./processes/deadlines.ts";
import { READER_GRACE_MS } from "./processes/output-log.ts";
import type { ProcessTable } from "./processes/process-table.ts";
import type { Methods } from "./rpc/methods.ts";
import { findShells } from "./shells.ts";
import type { EnvironmentView } from "./view.ts";

/** The size of a tool's terminal, as harnesses expect it. */
const TOOL_TERMINAL = { rows: 24, cols: 80 };

type ToolMethods = Pick<Methods, "outwork/exec_command" | "outwork/write_stdin">;

/** The two shell tools over the environment's processes. */
export function toolMethods(
  config: AgentConfig,
  view: EnvironmentView,
  table: ProcessTable,
): ToolMethods {
  const sessions = new ToolSessions({
    shells: findShells(view),
    workspace: config.workspace,
    // The process table lays a command's variables over the environment's own.
    variables: {},
    allowLogin: true,
    allowTerminal: true,
    start: startIn(table, config),
  });
  return {
    "outwork/exec_command": (args, signal) => sessions.exec(args, { signal }),
    "outwork/write_stdin": (args, signal) => sessions.write(args, { signal }),
  };
}

function startIn(table: ProcessTable, config: AgentConfig): StartToolProcess {
  return async ({ argv, cwd, tty, policy, variables }) => {
    const network = policy?.network === "off" ? "off" : config.policy.network;
    const process = await table.start({
      processId: null,
      argv,
      cwd,
      variables: variables(network),
      inherits: true,
      stdin: "closed",
      tty: tty ? TOOL_TERMINAL : null,
      leavesChildren: false,
      policy: policy ?? null,
      deadlines: NO_DEADLINES,
      retainedBytes: RETAINED_BYTES,
      readers: { kind: "wait-for", absentMs: READER_GRACE_MS },
    });
    return toolProcess(process);
  };
}

function toolProcess(process: AgentProcess): ToolProcess {
  const { processId, tty, policy } = process.description;
  return {
    id: processId,
    tty,
    policy,
    output: outputOf(process),
    exited: exitOf(process),
    write: async (bytes) => {
      const status = await process.stdin.write(randomUUID(), Buffer.from(bytes), false);
      if (status !== "accepted") throw new Error("the terminal is closed");
    },
    interrupt: async () => {
      await process.signal("SIGINT");
    },
    terminate: () => {
      process.terminate(0);
    },
  };
}

async function* outputOf({ log }: AgentProcess): AsyncGenerator<Uint8Array> {
  for await (const event of log.follow(0, new AbortController().signal)) {
    if (event.type === "output") yield event.bytes;
  }
}

async function exitOf(process: AgentProcess): Promise<number> {
  while (process.state.kind === "running") await once(process.log, "append");
  return process.state.exit_code;
}
