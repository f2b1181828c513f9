import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** One exchange with the reference. */
export interface Step {
  readonly send?: string;
  readonly answer?: unknown;
  readonly notify?: string;
}

const FOLDER = new URL("../../../../test/fixtures/exec-server/", import.meta.url);

/** The steps of one recording, with that scratch folder in their paths. */
export async function recording(name: string, root: string): Promise<readonly Step[]> {
  const text = await readFile(fileURLToPath(new URL(`${name}.jsonl`, FOLDER)), "utf8");
  const lines = text.replaceAll("{root}", root).split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Step);
}

/** What differs from run to run, or from machine to machine, is left out. */
export function comparable(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer, (key, value) => comparableMember(key, value)));
}

const VARIES = ["createdAtMs", "modifiedAtMs", "sessionId", "environmentInfo", "effectivePolicy"];

function comparableMember(key: string, value: unknown): unknown {
  if (VARIES.includes(key)) return undefined;
  if (key === "message") return String(value).replace(/websocket 127\.0\.0\.1:\d+/, "websocket");
  const isFolder = (value as { isDirectory?: unknown } | null)?.isDirectory === true;
  return isFolder ? { ...(value as object), size: 0 } : value;
}
