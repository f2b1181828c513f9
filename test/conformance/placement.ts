import { describe } from "node:test";
import { type OpenTarget, useTarget } from "../support/placement-target.ts";
import { archives } from "./suite/archives.ts";
import { backPressure } from "./suite/back-pressure.ts";
import { effectivePolicy } from "./suite/effective-policy.ts";
import { execCommand } from "./suite/exec-command.ts";
import { gitPointers } from "./suite/git-pointers.ts";
import { isolation } from "./suite/isolation.ts";
import { killing } from "./suite/killing.ts";
import { launching } from "./suite/launching.ts";
import { limits } from "./suite/limits.ts";
import { linkedRoots } from "./suite/linked-roots.ts";
import { load } from "./suite/load.ts";
import { network } from "./suite/network.ts";
import { output } from "./suite/output.ts";
import { patches } from "./suite/patches.ts";
import { processEnds } from "./suite/process-ends.ts";
import { protectedNames } from "./suite/protected-names.ts";
import { recovering } from "./suite/recovering.ts";
import { removing } from "./suite/removing.ts";
import { standardInput } from "./suite/standard-input.ts";
import { starting } from "./suite/starting.ts";
import { temporaryFiles } from "./suite/temporary-files.ts";
import { terminals } from "./suite/terminals.ts";
import { toolSessions } from "./suite/tool-sessions.ts";
import { traces } from "./suite/traces.ts";
import { writing } from "./suite/writing.ts";

/** What cannot be written, seen or reached. */
const WALLS = [
  effectivePolicy,
  writing,
  protectedNames,
  gitPointers,
  linkedRoots,
  traces,
  temporaryFiles,
  network,
  isolation,
];
/** How commands start, print, take input and end. */
const COMMANDS = [
  starting,
  standardInput,
  output,
  backPressure,
  terminals,
  processEnds,
  killing,
  execCommand,
  toolSessions,
  patches,
];
/** How environments begin and end, and what goes in and out of them. */
const ENVIRONMENTS = [launching, archives, recovering, removing];
/** What needs the machine to itself. */
const BURDENS = [limits, load];

/**
 * What every placement must do. `open` gives one to test, with nothing in it, on a machine with Linux
 * whose processes can be seen from here; its environments have bash, perl and the usual programs.
 */
export function placementSuite(name: string, open: OpenTarget): void {
  describe(`placement: ${name}`, () => {
    const target = useTarget(open);
    describe("beside each other", { concurrency: 3 }, () => {
      for (const topic of [...WALLS, ...COMMANDS, ...ENVIRONMENTS]) topic(target);
    });
    describe("alone", () => {
      for (const topic of BURDENS) topic(target);
    });
  });
}
