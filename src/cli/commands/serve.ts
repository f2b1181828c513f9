import { PlacementKind } from "../../contract/environment.ts";
import { given } from "../checked.ts";
import { choice } from "../choice.ts";
import { type Context, command, type Flags, type FlagValues } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { JSON_FLAG } from "../global-flags.ts";
import { operands } from "../operands.ts";
import { number } from "../quantity.ts";
import { write, writeJson } from "../write.ts";

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;

const FLAGS = {
  config: { value: "FILE", help: "Configuration in JSON. Flags go before it." },
  host: { value: "HOST", help: "Address to listen on. Default: 127.0.0.1." },
  port: { value: "PORT", help: "Port to listen on; 0: any that is free. Default: 7410." },
  state: { value: "FOLDER", help: "Where it keeps what must survive it. Default: OUTWORK_STATE." },
  placement: {
    value: "KIND",
    many: true,
    help: `Where environments may run: ${PlacementKind.options.join(", ")}. May be repeated.`,
  },
  "log-level": {
    value: "LEVEL",
    help: `One of ${LOG_LEVELS.join(", ")}. Default: info.`,
  },
  json: JSON_FLAG,
} as const satisfies Flags;

type ServeFlags = FlagValues<typeof FLAGS>;

export const serve = command({
  name: "serve",
  summary: "Start the service on this machine",
  usage: "",
  description: [
    "Runs the service until Ctrl-C. Its environments and their processes run on without it, and the",
    "next service on the same state folder finds them again. Without a configuration it listens on",
    "this machine alone and makes a token that every other command here finds by itself.",
  ].join("\n"),
  examples: ["outwork serve", "outwork serve --port 0 --placement docker"],
  flags: FLAGS,
  async run(parsed, context) {
    operands(parsed, []);
    const flags = configFlags(parsed.flags);
    // Server code is loaded by the server alone: the other commands start faster without it.
    const { readConfig } = await import("../../config.ts");
    const main = await import("../../main.ts");
    const service = await main.serve(await readConfig({ file: parsed.flags.config, flags }));
    await announce(service, parsed.flags, context);
    await service.stopped;
    return EXIT.ok;
  },
});

function configFlags(flags: ServeFlags) {
  const port = number("--port", flags.port);
  const listen = given({ host: flags.host, port });
  const placements = flags.placement.map((kind) => [
    choice("--placement", kind, PlacementKind.options),
    {},
  ]);
  return given({
    listen: Object.keys(listen).length === 0 ? undefined : listen,
    state_folder: flags.state,
    placements: placements.length === 0 ? undefined : Object.fromEntries(placements),
    log_level: choice("--log-level", flags["log-level"], LOG_LEVELS),
  });
}

interface Announced {
  readonly url: string;
  readonly tokenFile: string | null;
}

function announce({ url, tokenFile }: Announced, { json }: ServeFlags, { stdout }: Context) {
  if (json) return writeJson(stdout, { url, token_file: tokenFile });
  const token = tokenFile === null ? "as configured" : tokenFile;
  return write(stdout, `Outwork listens on ${url}\n  token: ${token}\n`);
}
