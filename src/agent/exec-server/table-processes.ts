import { RETAINED_BYTES } from "../../contract/constants.ts";
import { OutworkError } from "../../errors.ts";
import type { Processes, ProcessStart, StartedProcess } from "../../exec-server/ports.ts";
import { NO_DEADLINES } from "../processes/deadlines.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { TableProcess } from "./table-process.ts";

/** The environment's process table, as the exec-server protocol sees it. */
export class TableProcesses implements Processes {
  readonly #table: ProcessTable;

  constructor(table: ProcessTable) {
    this.#table = table;
  }

  async start(start: ProcessStart, { signal }: { signal: AbortSignal }): Promise<StartedProcess> {
    const { argv, cwd, env, tty, pipeStdin, arg0, policy } = start;
    if (arg0 !== null && arg0 !== argv[0]) throw arg0Refused(arg0);
    const process = await this.#table.start({
      processId: null,
      argv,
      cwd,
      variables: env,
      inherits: false,
      stdin: pipeStdin ? "pipe" : "closed",
      tty,
      // As this protocol has it: `closed` waits for whoever still holds the pipes.
      leavesChildren: tty === null,
      policy,
      deadlines: NO_DEADLINES,
      retainedBytes: RETAINED_BYTES,
      // A client that is away catches up from what is kept, as this protocol has it.
      readers: { kind: "wait-for", absentMs: 0 },
    });
    if (signal.aborted) process.terminate(0);
    return new TableProcess(process);
  }
}

function arg0Refused(arg0: string): OutworkError {
  return new OutworkError(
    "enforcement-missing",
    `arg0 ${JSON.stringify(arg0)} cannot be given to a sandboxed program, which sees its own name. Leave arg0 out.`,
  );
}
