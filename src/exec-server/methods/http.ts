import { encodeBase64 } from "../base64.ts";
import { Deadline } from "../deadline.ts";
import { fetchReply } from "../http/fetch.ts";
import { firstExchange } from "../http/request.ts";
import { BODY_DELTA_BYTES } from "../limits.ts";
import { type HttpRequestParams, httpRequestParams } from "../params/http.ts";
import type { HttpExchange, HttpHeader, HttpReply } from "../ports.ts";
import { internalError, RpcError } from "../rpc-error.ts";
import { type CallContext, type Method, method, type Reply } from "./method.ts";

/** Base64 and message, compared with the body. */
const ANSWER_FACTOR = 3;
const BROKEN_BODY = "error decoding response body";
const FOREVER_MS = Number.MAX_SAFE_INTEGER;

async function request(params: HttpRequestParams, context: CallContext): Promise<Reply> {
  const exchange = firstExchange(params, context.executor.facts.variables);
  return params.streamResponse
    ? streamed(params, exchange, context)
    : buffered(params, exchange, context);
}

async function buffered(
  params: HttpRequestParams,
  exchange: HttpExchange,
  context: CallContext,
): Promise<Reply> {
  using _entered = context.streams.enter();
  using deadline = new Deadline(context.signal, params.timeoutMs ?? FOREVER_MS);
  const reply = await replyBefore(deadline, { params, exchange, context });
  const { bytes, release } = await wholeBody(reply, context);
  try {
    await context.admit(bytes.length * ANSWER_FACTOR);
    return { result: head(reply, encodeBase64(bytes)) };
  } finally {
    release();
  }
}

async function wholeBody({ body }: HttpReply, { streams }: CallContext) {
  try {
    return await streams.collect(body);
  } catch (error) {
    if (error instanceof RpcError) throw error;
    const message = `failed to read http/request response body: ${BROKEN_BODY}`;
    throw internalError(message, { cause: error });
  }
}

/** The answer is the head; the body follows in notifications, at the pace of the client. */
async function streamed(
  params: HttpRequestParams,
  exchange: HttpExchange,
  context: CallContext,
): Promise<Reply> {
  const stream = context.streams.enterStream(params.requestId);
  const deadline = new Deadline(context.signal, params.timeoutMs ?? FOREVER_MS);
  const end = () => {
    deadline[Symbol.dispose]();
    stream[Symbol.dispose]();
  };
  try {
    const reply = await replyBefore(deadline, { params, exchange, context });
    const sent = () => void sendBody(reply, params.requestId, context).finally(end);
    return { result: head(reply, ""), sent };
  } catch (error) {
    end();
    throw error;
  }
}

async function replyBefore(
  deadline: Deadline,
  request: { params: HttpRequestParams; exchange: HttpExchange; context: CallContext },
): Promise<HttpReply> {
  const { http } = request.context.executor;
  if (http === null) {
    throw internalError("http/request failed: this executor sends no requests for its clients");
  }
  const followRedirects = request.params.redirectPolicy === "follow";
  try {
    const { signal } = deadline;
    return await fetchReply(request.exchange, { client: http, signal, followRedirects });
  } catch (error) {
    if (!deadline.expired) throw error;
    throw internalError("http/request failed: route-aware request timed out", { cause: error });
  }
}

function head({ status, headers }: HttpReply, bodyBase64: string): object {
  return { status, headers: headers.map(shownHeader), bodyBase64 };
}

/** Values are bytes, which the protocol takes for UTF-8. */
function shownHeader({ name, value }: HttpHeader): HttpHeader {
  return { name, value: Buffer.from(value, "latin1").toString() };
}

async function sendBody(reply: HttpReply, requestId: string, context: CallContext): Promise<void> {
  const { room, notify, signal } = context;
  let seq = 0;
  const send = (delta: Uint8Array, end: { done: boolean; error: string | null }) => {
    seq += 1;
    notify("http/request/bodyDelta", { requestId, seq, deltaBase64: encodeBase64(delta), ...end });
  };
  const nothing = Buffer.alloc(0);
  try {
    for await (const chunk of reply.body) {
      for (let at = 0; at < chunk.length; at += BODY_DELTA_BYTES) {
        await room();
        send(chunk.subarray(at, at + BODY_DELTA_BYTES), { done: false, error: null });
      }
      if (signal.aborted) return;
    }
    send(nothing, { done: true, error: null });
  } catch {
    send(nothing, { done: true, error: BROKEN_BODY });
  }
}

export const HTTP_METHODS: Readonly<Record<string, Method>> = {
  "http/request": method({ family: "http", params: httpRequestParams, run: request }),
};
