/** A function tool as the Responses API takes it. */
export interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly strict: false;
  readonly parameters: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, Property>>;
    readonly required: readonly string[];
    readonly additionalProperties: false;
  };
}

interface Property {
  readonly type: "string" | "number" | "boolean";
  readonly description: string;
}

/** What a turn offers. */
export interface Offer {
  /** May the model ask for login shells? */
  readonly login: boolean;
  /** Ids of the turn's environments, the primary one first. */
  readonly environments: readonly string[];
}

const MAX_OUTPUT_TOKENS: Property = {
  type: "number",
  description: "The most output to return, in tokens. Default and maximum: 10000.",
};

/** The shell tools, to be handed to a model. */
export function toolDefinitions(offer: Offer): FunctionTool[] {
  return [execCommand(offer), writeStdin()];
}

function execCommand({ login, environments }: Offer): FunctionTool {
  const properties: Record<string, Property> = {
    cmd: { type: "string", description: "The shell command line to run." },
    workdir: {
      type: "string",
      description: "The folder to run it in, relative to the environment's. Default: that one.",
    },
    tty: {
      type: "boolean",
      description: "True: run on a terminal that accepts input. Default: pipes, without input.",
    },
    yield_time_ms: {
      type: "number",
      description: "How long to wait for output, from 250 to 30000 ms. Default: 10000.",
    },
    max_output_tokens: MAX_OUTPUT_TOKENS,
    shell: { type: "string", description: "The shell to use. Default: the user's own." },
  };
  if (login) {
    const description = "False: do not run a login shell. Default: true.";
    properties.login = { type: "boolean", description };
  }
  if (environments.length > 1) {
    const description = `Where to run it: ${environments.join(", ")}. Default: the first.`;
    properties.environment_id = { type: "string", description };
  }
  return functionTool("exec_command", {
    description:
      "Runs a command in a PTY, returning output or a session ID for ongoing interaction.",
    properties,
    required: ["cmd"],
  });
}

function writeStdin(): FunctionTool {
  return functionTool("write_stdin", {
    description: "Writes characters to an existing unified exec session and returns recent output.",
    properties: {
      session_id: { type: "number", description: "The id of the running session." },
      chars: {
        type: "string",
        description: "What to write. Empty or absent: only wait for output.",
      },
      yield_time_ms: {
        type: "number",
        description:
          "How long to wait for output: 250 to 30000 ms after writing (default 250), 5000 to 300000 ms otherwise.",
      },
      max_output_tokens: MAX_OUTPUT_TOKENS,
    },
    required: ["session_id"],
  });
}

interface Shape {
  readonly description: string;
  readonly properties: Readonly<Record<string, Property>>;
  readonly required: readonly string[];
}

function functionTool(name: string, { description, properties, required }: Shape): FunctionTool {
  return {
    type: "function",
    name,
    description,
    strict: false,
    parameters: { type: "object", properties, required, additionalProperties: false },
  };
}
