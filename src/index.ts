/** The service as a library: the `outwork` door. */
export { compose, type Service } from "./compose.ts";
export { Config, type ConfigInput, readConfig } from "./config.ts";
export { type RunningService, serve } from "./main.ts";
export { StartupError } from "./startup-error.ts";
