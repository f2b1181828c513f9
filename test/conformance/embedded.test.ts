import { openEmbeddedTarget } from "../support/placement-embedded.ts";
import { placementSuite } from "./placement.ts";

placementSuite("embedded", openEmbeddedTarget);
