import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  byUrl,
  type CodexEnvironment,
  type CodexEnvironments,
  environmentsToml,
} from "../codex-environments.ts";
import { type Context, command, type Flags, type FlagValues } from "../command.ts";
import { execServerUrl } from "../exec-server-url.ts";
import { EXIT } from "../exit-codes.ts";
import { type GLOBAL_FLAGS, JSON_FLAG } from "../global-flags.ts";
import { UsageError } from "../usage-error.ts";
import { write, writeJson } from "../write.ts";

const FLAGS = {
  program: { help: "Have Codex start `outwork exec-server`, which finds the token by itself." },
  json: JSON_FLAG,
} as const satisfies Flags;

type Given = FlagValues<typeof FLAGS & typeof GLOBAL_FLAGS>;

const MAIN = fileURLToPath(new URL("../main.js", import.meta.url));

const PLACE = [
  "For the Codex CLI: keep it as $CODEX_HOME/environments.toml (~/.codex/environments.toml).",
  "Codex reads it when it starts. Its working folder must be one of the environment too.",
];
const SECRET = "The token below opens every environment of the service: let nobody else read this.";

export const codexConfig = command({
  name: "codex-config",
  summary: "Print the file that gives environments to the Codex CLI",
  usage: "ENV…",
  description: [
    "Prints the environments.toml with which the stock Codex CLI works in these environments and",
    "nowhere else. The first one is where commands go that name none. The file holds the token of",
    "the service; with --program it does not, and Codex speaks to the service through",
    "`outwork exec-server`.",
  ].join("\n"),
  examples: [
    "(umask 077; outwork codex-config demo > ~/.codex/environments.toml)",
    "outwork codex-config --program demo other > ~/.codex/environments.toml",
  ],
  flags: FLAGS,
  async run({ flags, words, rest }, context) {
    const ids = [...new Set([...words, ...rest])];
    const [first] = ids;
    if (first === undefined) throw new UsageError("ENV is missing");
    await checkThere(ids, context);
    const environments = await environmentsOf(ids, flags as Given, context);
    const file: CodexEnvironments = { include_local: false, default: first, environments };
    await (flags.json
      ? writeJson(context.stdout, file)
      : write(context.stdout, environmentsToml(flags.program ? PLACE : [...PLACE, SECRET], file)));
    return EXIT.ok;
  },
});

/** @throws `environment-not-found` for the first that is not there */
async function checkThere(ids: readonly string[], { connect }: Context): Promise<void> {
  await using outwork = await connect();
  for (const id of ids) await outwork.environments.get(id);
}

async function environmentsOf(
  ids: readonly string[],
  flags: Given,
  context: Context,
): Promise<CodexEnvironment[]> {
  if (flags.program) return ids.map((id) => byProgram(id, flags));
  const { url, token } = await context.address();
  return ids.map((id) => byUrl(id, execServerUrl(url, id), token));
}

/** By absolute paths: Codex may be started where neither `PATH` nor the folder is ours. */
function byProgram(id: string, { url, "token-file": tokenFile }: Given): CodexEnvironment {
  const service = url === undefined ? [] : ["--url", url];
  const token = tokenFile === undefined ? [] : ["--token-file", resolve(tokenFile)];
  return { id, program: process.execPath, args: [MAIN, "exec-server", id, ...service, ...token] };
}
