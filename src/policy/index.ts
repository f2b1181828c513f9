/** Pure decisions about what a command may do: no I/O, no clock. */
export { refuseAboveCeiling } from "./ceiling.ts";
export { meet } from "./meet.ts";
export { isWithin, mayWrite } from "./paths.ts";
export { type Presets, parsePresets } from "./presets.ts";
export { type Places, resolveRequest } from "./resolve.ts";
