import { CreateEnvironment, PlacementKind } from "../../contract/environment.ts";
import { checked, given } from "../checked.ts";
import { choice } from "../choice.ts";
import { command, type Flags, type FlagValues } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { JSON_FLAG } from "../global-flags.ts";
import { operands } from "../operands.ts";
import { pairs } from "../pairs.ts";
import { POLICY_FLAGS, policyRequest } from "../policy-flags.ts";
import { withProgress } from "../progress.ts";
import { bytes, milliseconds, number } from "../quantity.ts";
import { write, writeJson } from "../write.ts";

const FLAGS = {
  id: { value: "ID", help: "Name of the environment. Default: one is made up." },
  placement: {
    value: "KIND",
    help: `Where it runs: ${PlacementKind.options.join(", ")}. Default: the service's choice.`,
  },
  image: { value: "IMAGE", help: "Image to start from, for docker." },
  ...POLICY_FLAGS,
  env: {
    short: "e",
    value: "NAME=VALUE",
    many: true,
    help: "Environment variable of every command. May be repeated.",
  },
  workspace: { value: "PATH", help: "Folder that commands start in. Default: /workspace." },
  label: { value: "NAME=VALUE", many: true, help: "Label it. May be repeated." },
  memory: { value: "SIZE", help: "Memory of all its processes: 512m, 2g." },
  pids: { value: "NUMBER", help: "Processes and threads at once." },
  cpus: { value: "NUMBER", help: "CPU time per second, in cores: 1.5." },
  lifetime: { value: "TIME", help: "Remove it after this long: 90s, 15m, 2h, 1d." },
  "idle-timeout": { value: "TIME", help: "Remove it after this long without use." },
  json: JSON_FLAG,
} as const satisfies Flags;

type CreateFlags = FlagValues<typeof FLAGS>;

export const envCreate = command({
  name: "env create",
  summary: "Start an environment",
  usage: "",
  description: [
    "Starts an environment, waits until it is ready and prints its id. It keeps its files and its",
    "processes until it is removed. The same --id with the same flags is the same environment.",
  ].join("\n"),
  examples: [
    "outwork env create",
    "outwork env create --id demo --policy read-only",
    "outwork env create --placement docker --image node:22 --network on --memory 2g",
  ],
  flags: FLAGS,
  async run(parsed, { connect, stdout, stderr }) {
    operands(parsed, []);
    const spec = checked(CreateEnvironment, specOf(parsed.flags));
    await using outwork = await connect();
    const work = outwork.environments.create(spec);
    const environment = await withProgress(stderr, () => "starting the environment", work);
    await (parsed.flags.json
      ? writeJson(stdout, environment)
      : write(stdout, `${environment.id}\n`));
    return EXIT.ok;
  },
});

function specOf(flags: CreateFlags): CreateEnvironment {
  const limits = limitsOf(flags);
  return given({
    id: flags.id,
    placement: choice("--placement", flags.placement, PlacementKind.options),
    image: flags.image,
    policy: policyRequest(flags),
    variables: pairs("--env", flags.env),
    limits: Object.keys(limits).length === 0 ? undefined : limits,
    workspace: flags.workspace,
    labels: pairs("--label", flags.label),
    lifetime_ms: milliseconds("--lifetime", flags.lifetime),
    idle_timeout_ms: milliseconds("--idle-timeout", flags["idle-timeout"]),
  });
}

function limitsOf({ memory, pids, cpus }: CreateFlags) {
  return given({
    memory_bytes: bytes("--memory", memory),
    pids: number("--pids", pids),
    cpus: number("--cpus", cpus),
  });
}
