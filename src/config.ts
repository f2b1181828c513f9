import { readFile } from "node:fs/promises";
import { z } from "zod";
import { stateFolder } from "./client/local-service.ts";
import { AbsolutePath, Ceiling, PlacementKind } from "./contract/index.ts";
import { StartupError } from "./startup-error.ts";

/** Where the service listens unless it is told otherwise. */
const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7410;

const CEILING = "No environment on this placement passes it.";

const Placements = z.strictObject({
  embedded: z.strictObject({ ceiling: Ceiling.prefault({}).describe(CEILING) }).optional(),
  docker: z
    .strictObject({
      // Everything there is a container, not the host.
      ceiling: Ceiling.prefault({
        presets: ["read-only", "workspace-write", "danger-full-access"],
      }).describe(CEILING),
      host: z.string().optional().describe("As in `DOCKER_HOST`. Omitted: this host's socket."),
      certificates: AbsolutePath.optional().describe("Folder of TLS keys for a `tcp:` host."),
      apparmor: z.string().optional().describe("AppArmor profile of containers."),
    })
    .optional(),
});

const KnownToken = z.strictObject({
  name: z.string().min(1).max(128).describe("What the log calls its bearer."),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits: the SHA-256 of the token"),
});

const WebOrigin = z
  .string()
  .refine(isOrigin, "an origin such as `https://host` or `http://host:1`");

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

/** Everything that an operator may say about a service. */
export const Config = z
  .strictObject({
    listen: z
      .strictObject({
        host: z.string().min(1).default(DEFAULT_HOST),
        port: z.int().min(0).max(65_535).default(DEFAULT_PORT).describe("0: any that is free."),
      })
      .prefault({}),
    state_folder: AbsolutePath.optional().describe(
      "Omitted: `outwork` in the user's state folder.",
    ),
    placements: Placements.prefault({ embedded: {} }),
    default_placement: PlacementKind.optional().describe("Omitted: the first that is set up."),
    tokens: z.array(KnownToken).default([]).describe("Who may call. Empty: a token is made."),
    allowed_origins: z.array(WebOrigin).default([]).describe("Web pages that may call."),
    log_level: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
  })
  .refine(({ placements }) => placementsOf(placements).length > 0, {
    path: ["placements"],
    message: "at least one placement is needed",
  })
  .refine(({ placements, default_placement: kind }) => !kind || placements[kind] !== undefined, {
    path: ["default_placement"],
    message: "must be one of the placements that are set up",
  })
  .transform((config) => ({
    ...config,
    state_folder: config.state_folder ?? stateFolder(process.env),
    default_placement: config.default_placement ?? placementsOf(config.placements)[0] ?? "embedded",
  }));
export type Config = z.output<typeof Config>;
/** A configuration as operators write it, before defaults. */
export type ConfigInput = z.input<typeof Config>;

/** The placements that are set up, the simplest first. */
export function placementsOf(placements: z.infer<typeof Placements>): PlacementKind[] {
  return PlacementKind.options.filter((kind) => placements[kind] !== undefined);
}

interface ConfigSources {
  /** A JSON file. */
  readonly file?: string | undefined;
  /** What the command line says; it goes before the file. */
  readonly flags?: ConfigInput;
}

/** @throws StartupError naming the file, the member and what it may be */
export async function readConfig({ file, flags = {} }: ConfigSources): Promise<Config> {
  const written = file === undefined ? {} : await readJson(file);
  const listen = { ...written.listen, ...flags.listen };
  const result = Config.safeParse({ ...written, ...flags, listen });
  if (result.success) return result.data;
  throw new StartupError(`${file ?? "The configuration"}:\n${z.prettifyError(result.error)}`);
}

const Written = z.looseObject({ listen: z.looseObject({}).optional() });

async function readJson(file: string): Promise<z.output<typeof Written>> {
  try {
    return Written.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new StartupError(`The configuration ${file} cannot be read: ${why}`, { cause });
  }
}
