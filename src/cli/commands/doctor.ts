import { canRun, type DoctorCheck } from "../checks.ts";
import { painter } from "../colour.ts";
import { type Command, command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { JSON_FLAG } from "../global-flags.ts";
import { operands } from "../operands.ts";
import { withProgress } from "../progress.ts";
import { visible } from "../visible.ts";
import { write, writeJson } from "../write.ts";

/** Looks at this machine now. */
export type RunChecks = (variables: NodeJS.ProcessEnv) => Promise<readonly DoctorCheck[]>;

export function doctor(runChecks: RunChecks): Command {
  return command({
    name: "doctor",
    summary: "Say what this machine lacks to run environments",
    usage: "",
    description: [
      "Looks at what environments need on this machine and says what was found and what to do about",
      "what is missing. The exit code is 1 when no placement has all that it needs.",
    ].join("\n"),
    examples: ["outwork doctor", "outwork doctor --json"],
    flags: { json: JSON_FLAG },
    async run(parsed, { stdout, stderr, variables }) {
      operands(parsed, []);
      const checks = await withProgress(stderr, () => "looking", runChecks(variables));
      const paint = painter(stdout, variables);
      await (parsed.flags.json
        ? writeJson(stdout, { checks })
        : write(stdout, checks.map((check) => shown(check, paint)).join("")));
      return canRun(checks) ? EXIT.ok : EXIT.failure;
    },
  });
}

function shown({ area, name, ok, found, fix }: DoctorCheck, paint: ReturnType<typeof painter>) {
  const mark = ok ? paint("green", "ok     ") : paint("red", "missing");
  const line = `${mark}  ${visible(`${area}: ${name}: ${found}`)}\n`;
  return fix === null ? line : `${line}         ${visible(fix)}\n`;
}
