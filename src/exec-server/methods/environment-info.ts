import type { Executor } from "../executor.ts";
import { MAX_MESSAGE_BYTES, MAX_READ_FILE_BYTES } from "../limits.ts";
import { type PathUri, uriOf } from "../path-uri.ts";

/** What the executor says of itself, with URIs for paths and only such flags as are true. */
export function environmentInfo({ facts, http }: Executor): object {
  const { shell, executorVersion, providerId, prependPathDirs, variables } = facts;
  const tmpdir = variables.TMPDIR;
  return {
    shell,
    executorVersion,
    ...(providerId === null ? {} : { providerId }),
    cwd: facts.cwd === null ? null : uriOf(facts.cwd),
    userHomeDir: uriOf(facts.userHomeDir),
    platformOs: "linux",
    ...(prependPathDirs.length === 0 ? {} : { prependPathDirs: prependPathDirs.map(asUri) }),
    temporaryDirectories: tmpdir === undefined ? [] : [uriOf(tmpdir)],
    tempDir: uriOf(facts.tempDir),
    capabilities: {
      environmentConfigRead: true,
      fileWriteStreaming: true,
      fsWatchMissing: true,
      httpHeaderEnvVars: http !== null,
      sandboxedFileStreaming: true,
    },
    /** Beside the protocol: what a message and a whole file may measure, in bytes. */
    limits: { messageBytes: MAX_MESSAGE_BYTES, readFileBytes: MAX_READ_FILE_BYTES },
  };
}

function asUri(path: string): PathUri {
  return uriOf(path);
}
