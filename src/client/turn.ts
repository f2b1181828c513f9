import type { ApplyTurnPatchInput, TurnPatchResult } from "../contract/patch.ts";
import type { PolicyRequest } from "../contract/policy.ts";
import type { ProblemCode } from "../contract/problem-codes.ts";
import type { ToolResult } from "../contract/tools.ts";
import { OutworkError } from "../errors.ts";
import { parseExecCommand, parseWriteStdin } from "../tools/arguments.ts";
import { type FunctionTool, toolDefinitions } from "../tools/definitions.ts";
import { unknownEnvironment, unknownSession } from "../tools/failures.ts";
import { type FreeformTool, PATCH_TOOL, patchDefinition } from "../tools/patch-definition.ts";
import { resultText } from "../tools/result-text.ts";
import type { CallOptions } from "./call-signal.ts";
import type { RemoteEnvironment, StreamOptions } from "./environment.ts";
import { SessionOwners } from "./session-owners.ts";

/**
 * A call as the model made it: of a function, with `arguments` as raw JSON text, or of the freeform
 * tool `apply_patch`, with its `input`.
 */
export type ToolCall =
  | { readonly name: string; readonly arguments: string }
  | { readonly name: string; readonly input: string };

export interface TurnOptions {
  /** Narrows every command and patch of the turn, below each environment's own policy. */
  readonly policy?: PolicyRequest;
  /** Offers the freeform tool `apply_patch` besides. Its calls are `custom_tool_call` items. */
  readonly patches?: boolean;
}

/** Applies a patch in one of several environments. */
export type ApplyTurnPatch = (
  patch: ApplyTurnPatchInput,
  options: CallOptions,
) => Promise<TurnPatchResult>;

/** Failures that no model can do anything about: they are the harness's, and thrown. */
const NOT_FOR_MODELS = new Set<ProblemCode>([
  "unauthenticated",
  "not-permitted",
  "route-not-found",
  "internal",
  "agent-unreachable",
  "placement-unavailable",
  "service-stopping",
  "service-unreachable",
  "deadline-exceeded",
  "outcome-unknown",
]);

/**
 * The shell tools over one or more environments, as one model sees them. Keep one for as long as a
 * conversation lasts: it remembers which environment owns which session.
 */
export class Turn {
  /** Definitions to hand to the model, in the form of OpenAI's Responses API. */
  readonly tools: readonly (FunctionTool | FreeformTool)[];
  readonly #environments: ReadonlyMap<string, RemoteEnvironment>;
  readonly #primary: RemoteEnvironment;
  readonly #applyPatch: ApplyTurnPatch;
  readonly #options: Pick<TurnOptions, "policy">;
  readonly #names: readonly string[];
  readonly #owners = new SessionOwners();

  /** The first environment is the one that a call without `environment_id` runs in. */
  constructor(
    environments: readonly RemoteEnvironment[],
    applyPatch: ApplyTurnPatch,
    { patches = false, ...options }: TurnOptions,
  ) {
    const [primary] = environments;
    if (primary === undefined) {
      throw new OutworkError("validation-failed", "a turn needs at least one environment");
    }
    this.#primary = primary;
    this.#environments = new Map(environments.map((one) => [one.id, one]));
    this.#applyPatch = applyPatch;
    this.#options = options;
    const ids = [...this.#environments.keys()];
    const functions = toolDefinitions({ login: true, environments: ids });
    this.tools = patches ? [...functions, patchDefinition(ids)] : functions;
    this.#names = this.tools.map(({ name }) => name);
  }

  /**
   * Runs one tool call and resolves with the text for the model. A call that fails resolves too,
   * with the line that says why.
   * @throws OutworkError when the call could not be made or its fate is not known: `unauthenticated`,
   * `not-permitted`, `service-unreachable`, `outcome-unknown`, `agent-unreachable`, …
   */
  async dispatch(call: ToolCall, options: StreamOptions = {}): Promise<string> {
    try {
      return await this.#run(call, options);
    } catch (error) {
      if (error instanceof OutworkError && !NOT_FOR_MODELS.has(error.code)) return error.message;
      throw error;
    }
  }

  async #run(call: ToolCall, options: StreamOptions): Promise<string> {
    const { name } = call;
    if (!this.#names.includes(name)) {
      return `unsupported call: ${name} (this turn has ${listed(this.#names)})`;
    }
    if (name === PATCH_TOOL) {
      return "input" in call ? this.#patch(call.input, options) : wrongCall(name, "input");
    }
    if (!("arguments" in call)) return wrongCall(name, "arguments");
    if (name === "exec_command") return this.#execCommand(call.arguments, options);
    return this.#writeStdin(call.arguments, options);
  }

  async #patch(patch: string, options: StreamOptions): Promise<string> {
    const environments = [...this.#environments.keys()];
    const { text } = await this.#applyPatch({ patch, environments, ...this.#options }, options);
    return text;
  }

  async #execCommand(raw: string, options: StreamOptions): Promise<string> {
    const args = parseExecCommand(raw);
    const environment = this.#chosen(args.environment_id);
    const reserved_session_ids = this.#owners.takenElsewhere(environment.id);
    const result = await environment.execCommand(
      { ...args, ...this.#options, environment_id: environment.id, reserved_session_ids },
      options,
    );
    return resultText(this.#shown(environment.id, result));
  }

  async #writeStdin(raw: string, options: StreamOptions): Promise<string> {
    const args = parseWriteStdin(raw);
    const owner = this.#owners.find(args.session_id);
    const environment = this.#chosen(owner?.environmentId);
    const session_id = owner?.sessionId ?? args.session_id;
    try {
      const result = await environment.writeStdin({ ...args, session_id }, options);
      if (result.session_id === undefined) this.#owners.remove(args.session_id);
      return resultText(this.#shown(environment.id, result));
    } catch (error) {
      if (!isUnknownSession(error, session_id)) throw error;
      this.#owners.remove(args.session_id);
      throw unknownSession(args.session_id);
    }
  }

  #chosen(id: string | null | undefined): RemoteEnvironment {
    if (id === undefined || id === null) return this.#primary;
    const environment = this.#environments.get(id);
    if (environment === undefined) throw unknownEnvironment(id);
    return environment;
  }

  #shown(environmentId: string, result: ToolResult): ToolResult {
    const { session_id: sessionId } = result;
    if (sessionId === undefined) return result;
    return { ...result, session_id: this.#owners.add({ environmentId, sessionId }) };
  }
}

/** The environment names the session by its own id; the model may know it by another. */
function isUnknownSession(error: unknown, sessionId: number): boolean {
  return error instanceof OutworkError && error.message === unknownSession(sessionId).message;
}

function wrongCall(name: string, wanted: "input" | "arguments"): string {
  const kind = wanted === "input" ? "the freeform tool" : "the function";
  return `unsupported call: ${name} is ${kind} of that name, whose call has \`${wanted}\``;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
