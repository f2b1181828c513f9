import type { IncomingMessage } from "node:http";
import { randomName } from "../core/random-name.ts";

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's own `x-request-id` if it is fit for a log, else a new one. */
export function requestId({ headers }: Pick<IncomingMessage, "headers">): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && SANE.test(given) ? given : randomName("req");
}
