import type { z } from "zod";
import { PatchOptions } from "../../../../src/contract/patch.ts";
import type { ApplyContext } from "../../../../src/patch/context.ts";
import { NodeFiles } from "../../../../src/patch/files/node-files.ts";
import type { ToolContext } from "../../../../src/patch/tool.ts";

/** A patch on the real file system, as the tool of a turn with one environment applies it. */
export function contextIn(cwd: string, options: z.input<typeof PatchOptions> = {}) {
  return {
    cwd,
    files: new NodeFiles(),
    options: PatchOptions.parse(options),
    environmentLine: "refused",
    journal: `${cwd}.journal`,
  } as const satisfies ToolContext & ApplyContext;
}
