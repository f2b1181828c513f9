import { z } from "zod";

/** How one attack went under one policy. */
export const Verdict = z.object({
  group: z.string(),
  title: z.string(),
  outcome: z.enum(["stopped", "worked", "broken"]),
  /** The wall that stopped it, or the error that broke the attack itself. */
  by: z.string(),
  detail: z.string(),
  as_it_should: z.boolean(),
});
export type Verdict = z.infer<typeof Verdict>;

/** All attacks in one setting. */
export const Column = z.object({
  placement: z.string(),
  user: z.string(),
  policy: z.string(),
  verdicts: z.array(Verdict),
});
export type Column = z.infer<typeof Column>;

export const Matrix = z.array(Column);
