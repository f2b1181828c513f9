import { base64, boolean, count, list, string } from "../decode.ts";
import { defaulted, oneOf, optional, required, struct } from "../decode-shape.ts";

const header = struct("HttpHeader", {
  name: required(string),
  value: required(string),
  valueEnvVar: optional(string),
});

export const httpRequestParams = struct("HttpRequestParams", {
  method: required(string),
  url: required(string),
  headers: defaulted(list(header), []),
  bodyBase64: optional(base64),
  timeoutMs: optional(count("u64")),
  redirectPolicy: defaulted(oneOf("follow", "stop"), "follow"),
  requestId: required(string),
  streamResponse: defaulted(boolean, false),
});
export type HttpRequestParams = ReturnType<typeof httpRequestParams>;
