import { type PatchPreview, PatchPreviews } from "../contract/patch.ts";

/** The lines of a preview, without the empty ones that keep a connection alive. */
export async function* previews(chunks: AsyncIterable<Buffer>): AsyncGenerator<PatchPreview[]> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  for await (const chunk of chunks) {
    const [first = "", ...more] = decoder.decode(chunk, { stream: true }).split("\n");
    begun.push(first);
    for (const next of more) {
      const line = begun.join("");
      if (line !== "") yield PatchPreviews.parse(JSON.parse(line)).changes;
      begun = [next];
    }
  }
}
