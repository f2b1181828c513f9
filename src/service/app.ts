import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { serializerCompiler } from "fastify-type-provider-zod";
import type { Environments } from "../core/environments.ts";
import type { Readiness } from "../core/readiness.ts";
import { addExecServer } from "./exec-server.ts";
import { answerClientError, answerFrameworkError } from "./framework-errors.ts";
import { addOpenapi } from "./openapi.ts";
import { addAuth } from "./plugins/auth.ts";
import { addJsonBodies } from "./plugins/json-bodies.ts";
import { addOriginCheck, type OriginRules } from "./plugins/origin.ts";
import { addProblemDetails } from "./plugins/problem-details.ts";
import { addRequestLog } from "./plugins/request-log.ts";
import { addWaits } from "./plugins/waits.ts";
import { requestId } from "./request-id.ts";
import { archiveRoutes } from "./routes/archive.ts";
import { environmentRoutes } from "./routes/environments.ts";
import { healthRoutes } from "./routes/health.ts";
import { outputRoutes } from "./routes/output.ts";
import { patchRoutes } from "./routes/patch.ts";
import { patchPreviewRoutes } from "./routes/patch-preview.ts";
import { processRoutes } from "./routes/processes.ts";
import { toolRoutes } from "./routes/tools.ts";
import type { Tokens } from "./tokens.ts";
import { compileValidator } from "./validation.ts";

/** The largest JSON body: room for a long heredoc or a big piece of stdin. */
const BODY_BYTES = 16_777_216;
/** Proxies cut what is silent for 30 seconds or more. */
const HEARTBEAT_MS = 15_000;
/** How long calls in flight may take to end when the service stops. */
const GRACE_MS = 10_000;

export interface ServiceDeps {
  readonly environments: Environments;
  readonly readiness: Readiness;
  readonly tokens: Tokens;
  readonly origins: OriginRules;
  readonly log: FastifyBaseLogger;
  readonly version: string;
  readonly heartbeatMs?: number;
  readonly graceMs?: number;
}

/** The service's HTTP side, not yet listening. Closing it ends what is in flight, nothing else. */
export async function buildApp(deps: ServiceDeps): Promise<FastifyInstance> {
  const { environments, readiness, heartbeatMs = HEARTBEAT_MS, graceMs = GRACE_MS } = deps;
  const app = fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    requestIdHeader: false,
    bodyLimit: BODY_BYTES,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    // Odd ids are refused by their schema, which says what is wrong with them.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerClientError,
  });
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(serializerCompiler);

  addRequestLog(app);
  addProblemDetails(app);
  addWaits(app, { graceMs });
  addOriginCheck(app, deps.origins);
  addAuth(app, deps.tokens);
  addJsonBodies(app);
  await addOpenapi(app, deps.version);

  await app.register(healthRoutes, { readiness });
  const v1 = { prefix: "/v1", environments };
  await app.register(environmentRoutes, v1);
  await app.register(toolRoutes, v1);
  await app.register(patchRoutes, v1);
  await app.register(patchPreviewRoutes, { ...v1, heartbeatMs });
  await app.register(processRoutes, v1);
  await app.register(outputRoutes, { ...v1, heartbeatMs });
  await app.register(archiveRoutes, v1);
  addExecServer(app, deps);
  return app;
}
