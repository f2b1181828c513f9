import type { Environment } from "../../contract/environment.ts";
import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { JSON_FLAG } from "../global-flags.ts";
import { operands } from "../operands.ts";
import { withProgress } from "../progress.ts";
import { shownBytes } from "../quantity.ts";
import { shownState } from "../shown-state.ts";
import { table } from "../table.ts";
import { write, writeJson } from "../write.ts";

export const envInspect = command({
  name: "env inspect",
  summary: "Show everything about one environment",
  usage: "ENV",
  description: "Shows state, policy, limits and the rest of one environment.",
  examples: ["outwork env inspect env_1 --json"],
  flags: { json: JSON_FLAG },
  async run(parsed, { connect, stdout, stderr }) {
    const [id] = operands(parsed, ["ENV"]);
    await using outwork = await connect();
    const work = outwork.environments.get(id);
    const environment = await withProgress(stderr, () => "asking for the environment", work);
    await (parsed.flags.json
      ? writeJson(stdout, environment)
      : write(stdout, table(["environment", id], rows(environment))));
    return EXIT.ok;
  },
});

function rows(environment: Environment): string[][] {
  const { policy, limits, labels } = environment;
  const { write: writable, protected_names } = policy.files;
  const lines: [string, string | number | null | undefined][] = [
    ["state", shownState(environment.state)],
    ["placement", environment.placement],
    ["image", environment.image],
    ["workspace", environment.workspace],
    ["policy", policy.preset],
    ["writable", writable === "all" ? "everything" : writable.join(" ")],
    ["protected", protected_names.join(" ")],
    ["network", policy.network],
    ["variables", environment.variable_names.join(" ")],
    ["memory limit", limits.memory_bytes && shownBytes(limits.memory_bytes)],
    ["process limit", limits.pids],
    ["cpu limit", limits.cpus],
    [
      "labels",
      Object.entries(labels)
        .map((label) => label.join("="))
        .join(" "),
    ],
    ["created", environment.created_at],
    ["expires", environment.expires_at],
    ["idle timeout", environment.idle_timeout_ms && `${environment.idle_timeout_ms / 1_000} s`],
    ["processes", environment.process_count],
  ];
  return lines.map(([name, value]) => [name, String(value || value === 0 ? value : "-")]);
}
