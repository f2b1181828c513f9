import { realpathSync } from "node:fs";
import { EnvironmentView } from "../../agent/view.ts";
import type { AgentConfig } from "../../contract/agent.ts";
import { OutworkError } from "../../errors.ts";
import { isWithin, mayWrite } from "../../policy/index.ts";

/**
 * A root with a command of its own could change everything that holds other commands.
 * @throws `enforcement-missing`
 */
export function refuseRoot(uid: number | undefined): void {
  if (uid !== 0) return;
  throw new OutworkError(
    "enforcement-missing",
    "An agent on this machine does not run as root: under full access its commands would be root of " +
      "the whole machine, and under any policy they would read every file there is.",
    {
      facts: {
        missing: "ordinary-user",
        hint: "start it as an ordinary user, as `su -c` or `docker exec --user 1000` do",
      },
    },
  );
}

/**
 * Folders that cannot be writable without the sandbox coming undone.
 * @throws `policy-denied` naming the folder and what is allowed
 */
export function refuseUnsafe(config: AgentConfig): void {
  const { write } = config.policy.files;
  if (write === "all") return;
  for (const root of new Set([config.workspace, ...write])) refuseFolder(root, config.workspace);
  refuseOpenPrograms(config);
}

/** `/run` is empty and `/tmp` another for commands; a folder around them would bring them back. */
function refuseFolder(root: string, workspace: string): void {
  const opens = isWithin("/run", root) || isWithin(root, "/run");
  const hides = isWithin("/tmp", root) && (root !== "/tmp" || root === workspace);
  if (opens || hides)
    throw unsafe(`${root} cannot be writable: it holds what keeps commands apart.`);
}

/** What runs outside of every sandbox must not be what a command has written. */
function refuseOpenPrograms(config: AgentConfig): void {
  const { bwrap, setsid, helper } = config.programs;
  const view = new EnvironmentView(config.layout);
  const files = [...bwrap, ...setsid, ...helper, config.pty].filter((word) => word.startsWith("/"));
  for (const file of files) {
    const real = realpathSync(file);
    if (mayWrite(config.policy, real)) {
      throw unsafe(`${real} lies where commands may write, and it runs outside of their sandbox.`);
    }
    if (view.locate(real) !== real) throw unsafe(`${real} lies where commands see something else.`);
  }
}

function unsafe(what: string): OutworkError {
  return new OutworkError("policy-denied", what, {
    facts: { hint: "start the agent in a folder of its own that holds neither system nor Outwork" },
  });
}
