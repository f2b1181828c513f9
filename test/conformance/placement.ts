import { describe } from "node:test";
import { type OpenTarget, useTarget } from "../support/placement-target.ts";
import { effectivePolicy } from "./suite/effective-policy.ts";
import { isolation } from "./suite/isolation.ts";
import { launching } from "./suite/launching.ts";
import { linkedRoots } from "./suite/linked-roots.ts";
import { network } from "./suite/network.ts";
import { protectedNames } from "./suite/protected-names.ts";
import { temporaryFiles } from "./suite/temporary-files.ts";
import { traces } from "./suite/traces.ts";
import { writing } from "./suite/writing.ts";

const TOPICS = [
  launching,
  effectivePolicy,
  writing,
  protectedNames,
  linkedRoots,
  traces,
  temporaryFiles,
  network,
  isolation,
];

/** What every placement must do. `open` gives one to test, with nothing in it. */
export function placementSuite(name: string, open: OpenTarget): void {
  describe(`placement: ${name}`, () => {
    const target = useTarget(open);
    for (const topic of TOPICS) topic(target);
  });
}
