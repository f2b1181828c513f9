import type { Executor } from "../executor.ts";
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
  };
}

function asUri(path: string): PathUri {
  return uriOf(path);
}
