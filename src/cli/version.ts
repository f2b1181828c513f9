import { readFile } from "node:fs/promises";
import { z } from "zod";
import { systemCode } from "../errors.ts";

const Manifest = z.object({ version: z.string() });

/** The version of this package: sources and their build lie at different depths below it. */
export async function version(): Promise<string> {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    try {
      const text = await readFile(new URL("package.json", folder), "utf8");
      return Manifest.parse(JSON.parse(text)).version;
    } catch (error) {
      if (systemCode(error) !== "ENOENT" || folder.pathname === "/") throw error;
    }
  }
}
