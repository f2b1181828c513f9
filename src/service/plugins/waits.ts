import type { FastifyInstance } from "fastify";
import { OutworkError } from "../../errors.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Fires when nobody waits for the answer any more: the caller hung up, or the service stops. */
    waitSignal: AbortSignal;
  }
  interface FastifyContextConfig {
    /** The answer goes on until the caller has enough, so a stop ends it at once. */
    follows?: boolean;
  }
}

/** Connections that have become idle while the service stops are closed this often. */
const SWEEP_MS = 100;

/** Gives every request its `waitSignal`, and ends what is in flight when the service stops. */
export function addWaits(app: FastifyInstance, { graceMs }: { graceMs: number }): void {
  const [streams, calls] = [new Set<AbortController>(), new Set<AbortController>()];
  let stopping: OutworkError | null = null;
  let grace: NodeJS.Timeout | undefined;
  let sweep: NodeJS.Timeout | undefined;

  app.decorateRequest("waitSignal");
  app.addHook("onRequest", async (request, reply) => {
    if (stopping) throw stopping;
    const wait = new AbortController();
    const open = request.routeOptions.config.follows ? streams : calls;
    open.add(wait);
    request.waitSignal = wait.signal;
    reply.raw.once("close", () => {
      open.delete(wait);
      if (!reply.raw.writableFinished) wait.abort();
    });
  });
  app.addHook("preClose", async () => {
    stopping = serviceStopping();
    abortAll(streams, stopping);
    sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
    grace = setTimeout(abortAll, graceMs, calls, outcomeUnknown());
  });
  app.addHook("onClose", async () => {
    clearInterval(sweep);
    clearTimeout(grace);
    abortAll(calls, outcomeUnknown());
  });
}

function abortAll(waits: ReadonlySet<AbortController>, reason: OutworkError): void {
  for (const wait of waits) wait.abort(reason);
}

function serviceStopping(): OutworkError {
  const message = "The service is stopping. Environments and processes run on; ask again soon.";
  return new OutworkError("service-stopping", message);
}

function outcomeUnknown(): OutworkError {
  const message = "The service stopped before the answer; whether it took effect is not known.";
  return new OutworkError("deadline-exceeded", message);
}
