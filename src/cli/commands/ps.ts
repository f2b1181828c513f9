import type { Process, ProcessState } from "../../contract/process.ts";
import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { JSON_FLAG } from "../global-flags.ts";
import { operands } from "../operands.ts";
import { withProgress } from "../progress.ts";
import { age, shownBytes } from "../quantity.ts";
import { table } from "../table.ts";
import { write, writeJson } from "../write.ts";

const HEAD = ["PROCESS", "STATE", "AGE", "OUTPUT", "COMMAND"];

export const ps = command({
  name: "ps",
  summary: "List the processes of an environment",
  usage: "ENV",
  description: "Shows every process that the environment has a record of, ended ones included.",
  examples: ["outwork ps env_1"],
  flags: { json: JSON_FLAG },
  async run(parsed, { connect, stdout, stderr }) {
    const [environmentId] = operands(parsed, ["ENV"]);
    await using outwork = await connect();
    const work = outwork.environment(environmentId).processes();
    const processes = await withProgress(stderr, () => "listing the processes", work);
    await (parsed.flags.json
      ? writeJson(stdout, { processes })
      : write(stdout, table(HEAD, processes.map(row))));
    return EXIT.ok;
  },
});

function row({ process_id, state, started_at, output, argv }: Process): string[] {
  const printed = shownBytes(output.total_bytes);
  return [process_id, shownState(state), age(started_at, Date.now()), printed, argv.join(" ")];
}

function shownState(state: ProcessState): string {
  if (state.kind === "running") return "running";
  const { cause, exit_code } = state;
  return cause === "exited" ? `exited ${exit_code}` : `${cause} ${exit_code}`;
}
