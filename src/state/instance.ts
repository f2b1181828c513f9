import { join } from "node:path";
import { z } from "zod";
import { randomName } from "../core/random-name.ts";
import { StartupError } from "../startup-error.ts";
import { readIfThere, writePrivate } from "./files.ts";

const InstanceFile = z.object({ instance_id: z.string().regex(/^ins_[a-z0-9]{16}$/) });

/**
 * The owner of the environments of this folder: made once, and kept for as long as the folder is.
 * @throws StartupError if the file is damaged: a new owner would lose every environment
 */
export async function instanceId(stateFolder: string): Promise<string> {
  const file = join(stateFolder, "instance.json");
  const text = await readIfThere(file);
  if (text !== null) return parse(text, file);
  const instance = { instance_id: randomName("ins") };
  await writePrivate(file, JSON.stringify(instance));
  return instance.instance_id;
}

function parse(text: string, file: string): string {
  try {
    return InstanceFile.parse(JSON.parse(text)).instance_id;
  } catch (cause) {
    const message = `${file} is damaged. It says who owns the environments here: restore it, or remove it and them.`;
    throw new StartupError(message, { cause });
  }
}
