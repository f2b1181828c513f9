import { readFile } from "node:fs/promises";
import { Preset } from "./contract/index.ts";
import { systemCode } from "./errors.ts";
import { type Presets, parsePresets } from "./policy/index.ts";

/** The presets that `policies/` describes, at whatever depth below the package this file lies. */
export async function readPresets(): Promise<Presets> {
  const texts = Preset.options.map(async (name) => [name, JSON.parse(await readPolicy(name))]);
  return parsePresets(Object.fromEntries(await Promise.all(texts)));
}

async function readPolicy(name: Preset): Promise<string> {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    try {
      return await readFile(new URL(`policies/${name}.json`, folder), "utf8");
    } catch (error) {
      if (systemCode(error) !== "ENOENT" || folder.pathname === "/") throw error;
    }
  }
}
