/** One line of a chunk, without its sign. */
export type ChunkLine = {
  readonly kind: "context" | "add" | "remove";
  readonly text: string;
};

/** One place to change in a file. */
export type Chunk = {
  /** A whole line that must come before the chunk; null when the chunk has none. */
  readonly header: string | null;
  readonly lines: readonly ChunkLine[];
  /** `*** End of File`: the chunk's old lines are the last ones of the file. */
  readonly final: boolean;
};

export type AddFile = {
  readonly kind: "add";
  readonly path: string;
  readonly lines: readonly string[];
};

export type DeleteFile = { readonly kind: "delete"; readonly path: string };

export type UpdateFile = {
  readonly kind: "update";
  readonly path: string;
  /** Where the file goes; null when it stays. */
  readonly destination: string | null;
  readonly chunks: readonly Chunk[];
};

/** What a patch asks for one file. Paths are as written in the patch. */
export type Operation = AddFile | DeleteFile | UpdateFile;

/** A patch as read, in its own order. */
export type Patch = {
  /** Value of `*** Environment ID:`, for whoever routes the patch; null when there is none. */
  readonly environment: string | null;
  readonly operations: readonly Operation[];
};

/** The lines that a chunk expects to find: context and removed ones. */
export function oldLines(lines: readonly ChunkLine[]): string[] {
  return lines.filter((line) => line.kind !== "add").map((line) => line.text);
}

/** The lines that a chunk leaves behind: context and added ones. */
export function newLines(lines: readonly ChunkLine[]): string[] {
  return lines.filter((line) => line.kind !== "remove").map((line) => line.text);
}
