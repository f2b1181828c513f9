import { ORDINARY_UID } from "../support/as-user.ts";
import { openEmbeddedTarget } from "../support/placement-embedded.ts";
import { placementSuite } from "./placement.ts";

// Whoever is no root runs the same suite in embedded.test.ts already; this file then repeats it.
if (process.getuid?.() === 0) {
  process.chdir("/");
  process.setgroups?.([]);
  process.setgid?.(ORDINARY_UID);
  process.setuid?.(ORDINARY_UID);
}

placementSuite("embedded, as an ordinary user", openEmbeddedTarget);
