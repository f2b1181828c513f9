import type { Environment } from "../../contract/environment.ts";
import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { JSON_FLAG } from "../global-flags.ts";
import { operands } from "../operands.ts";
import { withProgress } from "../progress.ts";
import { age } from "../quantity.ts";
import { shownState } from "../shown-state.ts";
import { table } from "../table.ts";
import { write, writeJson } from "../write.ts";

const HEAD = ["ENVIRONMENT", "STATE", "PLACEMENT", "POLICY", "NETWORK", "PROCESSES", "AGE"];

export const envLs = command({
  name: "env ls",
  summary: "List the environments",
  usage: "",
  description: "Shows every environment that the token may see.",
  examples: ["outwork env ls", "outwork env ls --json"],
  flags: { json: JSON_FLAG },
  async run(parsed, { connect, stdout, stderr }) {
    operands(parsed, []);
    await using outwork = await connect();
    const work = outwork.environments.list();
    const environments = await withProgress(stderr, () => "listing the environments", work);
    await (parsed.flags.json
      ? writeJson(stdout, { environments })
      : write(stdout, table(HEAD, environments.map(row))));
    return EXIT.ok;
  },
});

function row({ id, state, placement, policy, process_count, created_at }: Environment): string[] {
  const processes = process_count === null ? "?" : String(process_count);
  const { preset, network } = policy;
  return [
    id,
    shownState(state),
    placement,
    preset,
    network,
    processes,
    age(created_at, Date.now()),
  ];
}
