import { PolicyRequest } from "../../contract/policy.ts";
import { checked } from "../checked.ts";
import { choice } from "../choice.ts";
import { command, type Flags } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { operands } from "../operands.ts";
import { POLICY_FLAGS, policyRequest } from "../policy-flags.ts";
import { UsageError } from "../usage-error.ts";

const FLAGS = {
  listen: { value: "stdio", help: "Where the client is: on stdin and stdout." },
  ...POLICY_FLAGS,
} as const satisfies Flags;

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export const agent = command({
  name: "agent",
  summary: "Make this machine an environment, for one client and without a service",
  usage: "--listen stdio",
  description: [
    "Speaks the exec-server protocol over stdin and stdout, one JSON object a line, and carries out",
    "what it is asked for on this machine, in the folder where it is started. For clients that",
    "start a program in a container or over ssh, as Codex does with `program` and `args`.",
    "",
    "Commands run as our user under the policy, by default workspace-write: they read what our user",
    "reads, write this folder, $TMPDIR and a /tmp of their own, and have no network and no /run. A",
    "client can narrow that and never widen it. Sockets elsewhere, as in the home folder, are not",
    "hidden from them. Ends with stdin, and every command with it.",
  ].join("\n"),
  examples: [
    "outwork agent --listen stdio",
    "docker exec -i --user 1000 my-container outwork agent --listen stdio",
  ],
  flags: FLAGS,
  async run(parsed, { stdin: input, stdout: output, variables }) {
    operands(parsed, []);
    if (parsed.flags.listen === undefined) throw new UsageError("--listen is missing; say stdio");
    choice("--listen", parsed.flags.listen, ["stdio"]);
    const request = policyRequest(parsed.flags) ?? { preset: "workspace-write" as const };
    const { machineHere } = await import("../../placements/machine/here.ts");
    const { serveMachine } = await import("../../placements/machine/serve.ts");
    const machine = await machineHere(checked(PolicyRequest, request), variables);
    const ended = new AbortController();
    for (const name of ENDING) process.once(name, () => ended.abort());
    await serveMachine(machine, { input, output }, { signal: ended.signal });
    return EXIT.ok;
  },
});
