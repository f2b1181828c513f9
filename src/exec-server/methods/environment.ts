import { mismatch } from "../decode.ts";
import { DecodeError } from "../decode-error.ts";
import type { Json } from "../json/value.ts";
import { type ConfigReadParams, configReadParams } from "../params/environment.ts";
import { uriOf } from "../path-uri.ts";
import { environmentInfo } from "./environment-info.ts";
import { type Method, method } from "./method.ts";

/** No parameters, or an object of which nothing is read. */
function none(params: Json): null {
  if (params === null || params instanceof Map) return null;
  throw mismatch(params, "unit");
}

function someConfigPaths(json: Json): ConfigReadParams {
  const params = configReadParams(json);
  const paths = [...params.configPaths, ...params.requirementsPaths];
  if (paths.length === 0) {
    throw new DecodeError("at least one config or requirements path is required");
  }
  if (paths.some((path) => path.length === 0)) {
    throw new DecodeError("TOML paths must contain at least one key segment");
  }
  return params;
}

/** No configuration of any client lives here. */
const NO_LAYERS = { layers: [], cloudInsertionIndex: 0 };

export const ENVIRONMENT_METHODS: Readonly<Record<string, Method>> = {
  "environment/info": method({
    family: "environment info",
    params: none,
    run: (_, { executor }) => ({ result: environmentInfo(executor) }),
  }),
  "environment/status": method({
    family: "environment status",
    params: none,
    run: () => ({ result: { status: "ready" } }),
  }),
  "environmentConfig/read": method({
    family: "environment config",
    params: someConfigPaths,
    run: (_, { executor: { facts } }) => ({
      result: {
        userHomeDir: uriOf(facts.userHomeDir),
        codexHomeDir: uriOf(`${facts.userHomeDir}/.codex`),
        hostname: facts.hostname,
        config: NO_LAYERS,
        requirements: NO_LAYERS,
      },
    }),
  }),
};
