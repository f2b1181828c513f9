import { OutworkError } from "../../errors.ts";
import { command } from "../command.ts";
import { execServerUrl } from "../exec-server-url.ts";
import { EXIT } from "../exit-codes.ts";
import { operands } from "../operands.ts";

export const execServer = command({
  name: "exec-server",
  summary: "Speak the exec-server protocol of an environment over stdin and stdout",
  usage: "ENV",
  description: [
    "Connects stdin and stdout to the environment ENV: one JSON object a line, both ways, in the",
    "protocol of `codex exec-server`. For clients that start a program in place of connecting to a",
    "URL; `outwork codex-config --program` writes that down for the Codex CLI. Ends with stdin.",
  ].join("\n"),
  examples: ["outwork exec-server demo"],
  flags: {},
  async run(parsed, context) {
    const [id] = operands(parsed, ["ENV"]);
    // The client words what is wrong with address, token or environment; a refused upgrade is a number.
    await using outwork = await context.connect();
    await outwork.environments.get(id);
    const { url, token } = await context.address();
    const { LineBridge } = await import("../line-bridge.ts");
    const bridge = await LineBridge.open(execServerUrl(url, id), token);
    const end = await bridge.run(context.stdin, context.stdout);
    if (end.by === "stdin") return EXIT.ok;
    throw connectionLost(id, end);
  },
});

function connectionLost(id: string, { code, reason }: { code: number; reason: string }) {
  const why = reason === "" ? "" : `: ${reason}`;
  return new OutworkError(
    "service-unreachable",
    `the connection to ${id} was lost (${code})${why}`,
    {
      facts: { hint: "processes of the environment run on" },
    },
  );
}
