import { OutworkError } from "../errors.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

/**
 * Builds one sandbox and runs something harmless in it, before anything is promised.
 * @throws `enforcement-missing` with what the kernel or the launcher said, and what to do about it
 */
export async function checkSandbox(sandbox: Sandbox): Promise<void> {
  try {
    await sandbox.probe();
  } catch (error) {
    if (error instanceof OutworkError) throw sandboxMissing(String(error.facts.said));
    throw error;
  }
}

function sandboxMissing(said: string): OutworkError {
  const { missing, fix } = explain(said);
  return new OutworkError(
    "enforcement-missing",
    `Commands cannot be sandboxed here: ${missing}. The launcher said: ${said}. ${fix}`,
    { facts: { missing, said, fix } },
  );
}

function explain(said: string): { missing: string; fix: string } {
  if (said.includes("ENOENT")) {
    return { missing: "bubblewrap is not installed", fix: "Install the package bubblewrap." };
  }
  if (/disable-userns|Unknown option/.test(said)) {
    return { missing: "bubblewrap is older than 0.8", fix: "Install bubblewrap 0.8 or later." };
  }
  if (/user namespace|Creating new namespace|uid map|setting up uid/i.test(said)) {
    return {
      missing: "unprivileged user namespaces are not available",
      fix:
        "Set user.max_user_namespaces above 0 and kernel.unprivileged_userns_clone to 1; on Ubuntu set " +
        "kernel.apparmor_restrict_unprivileged_userns to 0 or load a profile for bwrap.",
    };
  }
  if (said.includes("mount proc")) {
    return {
      missing: "a fresh /proc cannot be mounted",
      fix: "The container around the agent masks /proc: run it with unmasked paths.",
    };
  }
  return { missing: "the sandbox could not be built", fix: "`outwork doctor` looks at each part." };
}
