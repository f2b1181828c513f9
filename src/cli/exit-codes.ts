/** What `outwork` exits with. `exec` and `attach` pass the command's own code on. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  unreachable: 5,
  unknown: 125,
} as const;

/** The exit codes as `--help` explains them. */
export const EXIT_CODE_HELP: readonly (readonly [number, string])[] = [
  [EXIT.ok, "done"],
  [EXIT.failure, "failed"],
  [EXIT.usage, "the command line is not right"],
  [EXIT.notFound, "no such environment or process"],
  [EXIT.refused, "refused, by policy or for want of a valid token"],
  [EXIT.unreachable, "the service, or what it runs on, cannot be reached"],
  [EXIT.unknown, "what became of it is not known"],
];
