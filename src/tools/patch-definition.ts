/** A tool whose input is text of a grammar and no JSON, as the Responses API takes it. */
export interface FreeformTool {
  readonly type: "custom";
  readonly name: string;
  readonly description: string;
  readonly format: {
    readonly type: "grammar";
    readonly syntax: "lark";
    readonly definition: string;
  };
}

export const PATCH_TOOL = "apply_patch";

const DESCRIPTION =
  "The `apply_patch` tool can be used to edit files. " +
  "This is a FREEFORM tool, so do not wrap the patch in JSON.";

const HUNKS = [
  "hunk: add_hunk | delete_hunk | update_hunk",
  'add_hunk: "*** Add File: " filename LF add_line+',
  'delete_hunk: "*** Delete File: " filename LF',
  'update_hunk: "*** Update File: " filename LF change_move? change?',
  'change_move: "*** Move to: " filename LF',
  "change: (change_context | change_line)+ eof_line?",
  'change_context: ("@@" | "@@ " /(.+)/) LF',
  'change_line: ("+" | "-" | " ") /(.*)/ LF',
  'eof_line: "*** End of File" LF',
  'add_line: "+" /(.*)/ LF -> line',
  "filename: /(.+)/",
];

/**
 * The tool `apply_patch`, to be handed to a model. With several environments a patch may begin by
 * naming the one it is for.
 */
export function patchDefinition(environments: readonly string[]): FreeformTool {
  const [choice, line] =
    environments.length > 1
      ? [" environment_id?", ['environment_id: "*** Environment ID: " filename LF']]
      : ["", []];
  const rules = [
    `start: begin_patch${choice} hunk+ end_patch`,
    'begin_patch: "*** Begin Patch" LF',
    ...line,
    'end_patch: "*** End Patch" LF?',
    ...HUNKS,
    "%import common.LF",
  ];
  const definition = `${rules.join("\n")}\n`;
  const format = { type: "grammar", syntax: "lark", definition } as const;
  return { type: "custom", name: PATCH_TOOL, description: DESCRIPTION, format };
}
