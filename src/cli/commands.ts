import { machineChecks } from "./checks.ts";
import type { Command } from "./command.ts";
import { agent } from "./commands/agent.ts";
import { applyPatch } from "./commands/apply-patch.ts";
import { attach } from "./commands/attach.ts";
import { codexConfig } from "./commands/codex-config.ts";
import { cp } from "./commands/cp.ts";
import { doctor } from "./commands/doctor.ts";
import { envCreate } from "./commands/env-create.ts";
import { envInspect } from "./commands/env-inspect.ts";
import { envLs } from "./commands/env-ls.ts";
import { envRm } from "./commands/env-rm.ts";
import { exec } from "./commands/exec.ts";
import { execServer } from "./commands/exec-server.ts";
import { patch } from "./commands/patch.ts";
import { ps } from "./commands/ps.ts";
import { serve } from "./commands/serve.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serve,
  envCreate,
  envLs,
  envInspect,
  envRm,
  exec,
  attach,
  ps,
  cp,
  patch,
  applyPatch,
  codexConfig,
  execServer,
  agent,
  doctor(machineChecks),
];
