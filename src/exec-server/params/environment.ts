import { list, string } from "../decode.ts";
import { optional, required, struct } from "../decode-shape.ts";
import { pathUri } from "../path-uri.ts";

export const initializeParams = struct("InitializeParams", {
  clientName: required(string),
  resumeSessionId: optional(string),
});

const keyPaths = list(list(string));

/** Key paths into configuration files, one list of segments each. */
export const configReadParams = struct("EnvironmentConfigReadParams", {
  cwd: required(pathUri),
  configPaths: required(keyPaths),
  requirementsPaths: required(keyPaths),
});
export type ConfigReadParams = ReturnType<typeof configReadParams>;
