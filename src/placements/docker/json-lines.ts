import type { Readable } from "node:stream";

/** The values of a stream of JSON lines, however it is cut. Ends and fails with the stream. */
export async function* jsonLines(stream: Readable): AsyncGenerator<unknown> {
  let rest = "";
  stream.setEncoding("utf8");
  for await (const text of stream as AsyncIterable<string>) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
  }
  if (rest.trim() !== "") yield JSON.parse(rest);
}
