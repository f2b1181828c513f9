import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** How one test image is made. */
export interface Recipe {
  readonly tag: string;
  /** Variables of the image, `NAME=value`. */
  readonly variables: readonly string[];
  /** What the result depends on, beside the recipe's own source. */
  readonly inputs: readonly string[];
  /** The file whose text is the recipe. */
  readonly source: string;
  /** Fills an empty folder with the image's files. */
  fill(root: string): Promise<void>;
}

/** Names a recipe's result by what goes into it: the output itself is not reproducible to the byte. */
export function recipeHash(recipe: Recipe): string {
  const hash = createHash("sha256").update(readFileSync(recipe.source));
  for (const input of [recipe.tag, ...recipe.variables, ...recipe.inputs])
    hash.update(`\0${input}`);
  return hash.digest("hex").slice(0, 16);
}
