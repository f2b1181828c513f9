import { OutworkError } from "../../errors.ts";
import { MAX_REDIRECTS } from "../limits.ts";
import type { HttpClient, HttpExchange, HttpReply } from "../ports.ts";
import { internalError } from "../rpc-error.ts";
import { decoded } from "./encodings.ts";
import { nextExchange } from "./redirects.ts";

interface FetchOptions {
  readonly client: HttpClient;
  readonly signal: AbortSignal;
  readonly followRedirects: boolean;
}

/** Carries a request out, redirects included. The reply's body is decoded. */
export async function fetchReply(first: HttpExchange, options: FetchOptions): Promise<HttpReply> {
  let exchange = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const reply = await send(exchange, options);
    const next = options.followRedirects ? nextExchange(exchange, reply) : null;
    if (next === null) return decoded(reply);
    await discard(reply);
    exchange = next;
  }
  throw internalError("http/request failed: too many redirects");
}

async function send(exchange: HttpExchange, { client, signal }: FetchOptions): Promise<HttpReply> {
  try {
    return await client.exchange(exchange, { signal });
  } catch (error) {
    if (error instanceof OutworkError) throw refused(error);
    const message = `http/request failed: error sending request for url (${shown(exchange.url)})`;
    throw internalError(message, { cause: error });
  }
}

/** The policy's own words say more than any rewording. */
function refused(error: OutworkError): Error {
  return internalError(`http/request failed: ${error.message}`, { cause: error });
}

function shown(url: URL): string {
  const copy = new URL(url);
  copy.username = "";
  copy.password = "";
  return copy.href;
}

/** Leaving the loop closes the exchange. */
async function discard({ body }: HttpReply): Promise<void> {
  for await (const _ of body) return;
}
