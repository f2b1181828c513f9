import { errnoOf, errnoText } from "../../errno.ts";
import { systemCode } from "../../errors.ts";

/** Node's own refusal, which the system would word so. */
const TOO_LARGE_FOR_NODE = "ERR_FS_FILE_TOO_LARGE";

/** Why a file-system call failed, as a model is told. */
export function reasonOf(error: unknown): string {
  const code = systemCode(error);
  if (code === TOO_LARGE_FOR_NODE) return errnoText("EFBIG");
  const name = errnoOf(error);
  return name === null ? (code ?? String(error)) : errnoText(name);
}
