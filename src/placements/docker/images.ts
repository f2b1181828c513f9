import type { Readable } from "node:stream";
import type { Variables } from "../../contract/ids.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import { OutworkError } from "../../errors.ts";
import type { Engine } from "./engine.ts";
import { EngineRefusal } from "./engine-call.ts";
import { jsonLines } from "./json-lines.ts";

/** An image that the engine has. */
export interface Image {
  readonly name: string;
  /** Content address. */
  readonly id: string;
  readonly variables: Variables;
}

const NOT_FOUND = 404;

/** host[:port]/path:tag@digest, each part starting with a letter or digit: no part is `..`. */
const REFERENCE =
  /^[A-Za-z0-9][A-Za-z0-9._-]*(?::\d+)?(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*(?::[A-Za-z0-9_][A-Za-z0-9._-]*)?(?:@[a-z0-9]+:[a-f0-9]+)?$/;

/**
 * The image of that name, fetched when the engine does not have it yet.
 * @throws `validation-failed` no image can have that name
 * @throws `image-not-found` with what the engine said about fetching it
 */
export async function findImage(engine: Engine, name: string, wait: WaitOptions): Promise<Image> {
  if (!REFERENCE.test(name)) {
    throw new OutworkError(
      "validation-failed",
      `${JSON.stringify(name)} is not an image: an image is [HOST[:PORT]/]NAME[:TAG][@DIGEST].`,
    );
  }
  const here = await inspect(engine, name, wait);
  if (here !== null) return here;
  await pull(engine, name, wait);
  const pulled = await inspect(engine, name, wait);
  if (pulled === null) throw notFound(name, "it was pulled and is not there");
  return pulled;
}

async function inspect(engine: Engine, name: string, wait: WaitOptions): Promise<Image | null> {
  const details = await engine.inspectImage(name, wait);
  if (details === null) return null;
  return { name, id: details.Id, variables: parseVariables(details.Config?.Env ?? []) };
}

function parseVariables(lines: readonly string[]): Variables {
  const pairs = lines.map((line) => {
    const at = line.indexOf("=");
    return at < 0 ? ([line, ""] as const) : ([line.slice(0, at), line.slice(at + 1)] as const);
  });
  return Object.fromEntries(pairs.filter(([name]) => name !== ""));
}

async function pull(engine: Engine, name: string, wait: WaitOptions): Promise<void> {
  try {
    await readProgress(await engine.pullImage(name, wait), wait);
  } catch (error) {
    if (error instanceof EngineRefusal) throw notFound(name, error.message, error);
    throw error;
  }
}

/** The engine answers 200 at once; how it really went is in the stream. */
async function readProgress(progress: Readable, { signal }: WaitOptions): Promise<void> {
  const abort = () => progress.destroy(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    for await (const line of jsonLines(progress)) {
      const { error } = line as { error?: string };
      if (error !== undefined) throw new EngineRefusal(NOT_FOUND, error);
    }
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function notFound(name: string, said: string, cause?: Error): OutworkError {
  return new OutworkError(
    "image-not-found",
    `The engine has no image ${name} and could not pull it: ${said}.`,
    { facts: { image: name }, ...(cause && { cause }) },
  );
}
