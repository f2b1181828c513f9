import { z } from "zod";
import { AbsolutePath } from "./ids.ts";

/** Query of `GET/PUT …/archive`: the folder or file, inside the environment. */
export const ArchiveQuery = z.strictObject({ path: AbsolutePath });
export type ArchiveQuery = z.infer<typeof ArchiveQuery>;

/** What an upload left behind. */
export const ArchiveResult = z
  .object({ entries: z.int(), bytes: z.int(), sha256: z.string().describe("Of the tar stream.") })
  .meta({ id: "ArchiveResult" });
export type ArchiveResult = z.infer<typeof ArchiveResult>;
