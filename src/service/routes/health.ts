import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import * as wire from "../../contract/index.ts";
import type { Readiness } from "../../core/readiness.ts";
import { OutworkError } from "../../errors.ts";
import { problems } from "../documented.ts";

type Deps = { readiness: Readiness };

/** Whether the service lives, and whether it can do its work. */
export const healthRoutes: FastifyPluginAsyncZod<Deps> = async (app, { readiness }) => {
  app.route({
    method: "GET",
    url: "/livez",
    config: { open: true },
    schema: {
      operationId: "livez",
      summary: "Whether the service answers at all",
      tags: ["operations"],
      security: [],
      response: { 200: z.object({ live: z.literal(true) }), ...problems },
    },
    handler: async () => ({ live: true as const }),
  });

  app.route({
    method: "GET",
    url: "/readyz",
    config: { open: true },
    schema: {
      operationId: "readyz",
      summary: "Whether every placement has what it needs",
      tags: ["operations"],
      security: [],
      response: { 200: wire.Readiness, ...problems },
    },
    handler: async () => {
      const checks = await readiness.checks();
      const failing = checks.filter(({ ok }) => !ok);
      if (failing.length > 0) throw notReady(failing);
      return { checks };
    },
  });
};

function notReady(checks: readonly wire.Check[]): OutworkError {
  const names = checks.map(({ placement, name }) => `${placement}: ${name}`).join(", ");
  return new OutworkError("placement-unavailable", `Not ready: ${names}.`, { facts: { checks } });
}
