import { z } from "zod";
import { PlacementKind } from "./environment.ts";

/** One thing that a placement must have. */
export const Check = z
  .object({
    placement: PlacementKind,
    name: z.string(),
    ok: z.boolean(),
    found: z.string().describe("What was found."),
    fix: z.string().nullable().describe("What to do about it; null when ok."),
  })
  .meta({ id: "Check" });
export type Check = z.infer<typeof Check>;

/** Body of `GET /readyz` when everything is there. A problem with the failing `checks` otherwise. */
export const Readiness = z.object({ checks: z.array(Check) }).meta({ id: "Readiness" });
export type Readiness = z.infer<typeof Readiness>;
