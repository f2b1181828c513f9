import type { Variables } from "../contract/ids.ts";
import type { EffectivePolicy } from "../contract/policy.ts";

/** Keep programs from colours, pagers and the terminal's language. They beat every other value. */
const FIXED: Variables = {
  NO_COLOR: "1",
  TERM: "dumb",
  LANG: "C.UTF-8",
  LC_CTYPE: "C.UTF-8",
  LC_ALL: "C.UTF-8",
  COLORTERM: "",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  CODEX_CI: "1",
};

const NETWORK_OFF: Variables = { CODEX_SANDBOX_NETWORK_DISABLED: "1" };

/** The variables of a command that a model starts, over those of its environment. */
export function toolVariables(base: Variables, network: EffectivePolicy["network"]): Variables {
  return { ...base, ...FIXED, ...(network === "off" ? NETWORK_OFF : {}) };
}
