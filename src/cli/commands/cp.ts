import type { Outwork } from "../../client/index.ts";
import type { ArchiveResult } from "../../contract/archive.ts";
import { type Context, command } from "../command.ts";
import { copyDown } from "../copy/down.ts";
import { type Route, route } from "../copy/place.ts";
import { absoluteThere } from "../copy/there.ts";
import { type Counted, copyUp } from "../copy/up.ts";
import { EXIT } from "../exit-codes.ts";
import { JSON_FLAG } from "../global-flags.ts";
import { operands } from "../operands.ts";
import { withProgress } from "../progress.ts";
import { shownBytes } from "../quantity.ts";
import { UsageError } from "../usage-error.ts";
import { write, writeJson } from "../write.ts";

export const cp = command({
  name: "cp",
  summary: "Copy files into or out of an environment",
  usage: "SOURCE DESTINATION",
  description: [
    "Copies a file or a folder with all that is in it. One side is in an environment: ENV:PATH, where",
    "a relative PATH is below the workspace. The other side is a path here, or - for a tar stream on",
    "stdin or stdout.",
    "",
    "Into a folder that exists, or whose name ends in /, the copy goes under its own name; otherwise",
    "DESTINATION is its name. A SOURCE that ends in /. is what is in that folder. Permissions, links",
    "and times are kept; owners are not, and links that lead out of the copy are refused.",
  ].join("\n"),
  examples: [
    "outwork cp . env_1:",
    "outwork cp report.txt env_1:/workspace/in/",
    "outwork cp env_1:build/app.js ./app.js",
    "outwork cp env_1:/workspace - | tar -t",
  ],
  flags: { json: JSON_FLAG },
  async run(parsed, context) {
    const [source, destination] = operands(parsed, ["SOURCE", "DESTINATION"]);
    const way = route(source, destination);
    if (way.way === "down" && way.to.kind === "stream" && context.stdout.isTTY) {
      throw new UsageError("stdout is a terminal; send the tar stream to a file or a program");
    }
    await using outwork = await context.connect();
    const result = await copied(way, outwork, context);
    if (parsed.flags.json && result !== undefined) await writeJson(context.stdout, result);
    return EXIT.ok;
  },
});

function copied(way: Route, outwork: Outwork, context: Context) {
  let bytes = 0;
  const counted: Counted = async function* (pieces) {
    for await (const piece of pieces) {
      bytes += piece.length;
      yield piece;
    }
  };
  const work =
    way.way === "up" ? up(way, outwork, context, counted) : down(way, outwork, context, counted);
  return withProgress(context.stderr, () => `copying, ${shownBytes(bytes)}`, work);
}

async function up(
  { from, to }: Extract<Route, { way: "up" }>,
  outwork: Outwork,
  { stdin }: Context,
  counted: Counted,
): Promise<ArchiveResult> {
  const environment = outwork.environment(to.environmentId);
  if (from.kind === "here") return copyUp(from.path, environment, to.path, counted);
  return environment.upload(await absoluteThere(environment, to.path), counted(stdin));
}

async function down(
  { from, to }: Extract<Route, { way: "down" }>,
  outwork: Outwork,
  { stdout }: Context,
  counted: Counted,
): Promise<ArchiveResult | undefined> {
  const environment = outwork.environment(from.environmentId);
  if (to.kind === "here") return copyDown(environment, from.path, to.path, counted);
  const stream = await environment.download(await absoluteThere(environment, from.path));
  for await (const piece of counted(stream)) await write(stdout, piece);
  return undefined;
}
