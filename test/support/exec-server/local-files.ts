import { callFiles, openFile, watchMissing } from "../../../src/exec-server/files/index.ts";
import type { Files } from "../../../src/exec-server/ports.ts";

/** The files of this very host, confined by nothing. */
export const localFiles: Files = {
  call: (method, params) => callFiles(method, params),
  open: ({ path, mode }) => openFile(path, mode),
  watchMissing: (paths) => watchMissing(paths),
};
