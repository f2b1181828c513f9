import { ENVIRONMENT_METHODS } from "./environment.ts";
import { HANDLE_METHODS } from "./file-handle-methods.ts";
import { FILE_METHODS } from "./files.ts";
import { HTTP_METHODS } from "./http.ts";
import type { Method } from "./method.ts";
import { PROCESS_METHODS } from "./process.ts";
import { WATCH_METHODS } from "./watch.ts";

/** Every method of the protocol but `initialize`. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({
    ...ENVIRONMENT_METHODS,
    ...PROCESS_METHODS,
    ...FILE_METHODS,
    ...HANDLE_METHODS,
    ...WATCH_METHODS,
    ...HTTP_METHODS,
  }),
);
