import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "./config.ts";

const STDERR = 2;

/**
 * The service's log: JSON lines. Nothing in it logs a token on purpose; should one be in a URL or an
 * error's text all the same, it is struck out of the line.
 */
export function makeLog(level: Config["log_level"], destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      redact: ["authorization", "*.authorization", "*.headers.authorization"],
      hooks: { streamWrite: withoutTokens },
    },
    destination ?? pino.destination({ fd: STDERR, sync: true }),
  );
}

function withoutTokens(line: string): string {
  return line
    .replace(/([?&]token=)[^&\s"\\]+/g, "$1[redacted]")
    .replace(/\b(Bearer +)[A-Za-z0-9._~+/=-]+/gi, "$1[redacted]")
    .replace(/\bow_[A-Za-z0-9_-]{43}/g, "[redacted]");
}
