import { asUser } from "../support/as-user.ts";
import { bareColumn, matrixOf } from "./matrix.ts";
import { summary, surprises, table } from "./table.ts";
import { type Column, Matrix } from "./verdict.ts";

/*
 * The attacks as a program: `main.js [embedded] [docker]` prints what each of them got, under every
 * policy; as root also for a service of an ordinary user. `--json` prints one placement's columns only.
 */
const [first = "", ...rest] = process.argv.slice(2);
if (first === "--json") {
  process.stdout.write(
    JSON.stringify(await matrixOf(rest[0] === "docker" ? "docker" : "embedded")),
  );
} else {
  const placements = [first, ...rest].filter((word) => word !== "");
  const columns = await allColumns(placements.length === 0 ? ["embedded"] : placements);
  console.log(`${table(columns)}\n\n${summary(columns)}`);
  const wrong = surprises(columns);
  if (wrong.length > 0) console.error(wrong.join("\n"));
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

async function allColumns(placements: readonly string[]): Promise<Column[]> {
  const columns = [await bareColumn()];
  if (placements.includes("embedded")) {
    columns.push(...(await matrixOf("embedded")));
    if (process.getuid?.() === 0) columns.push(...(await ordinaryColumns()));
  }
  if (placements.includes("docker")) columns.push(...(await matrixOf("docker")));
  return columns;
}

async function ordinaryColumns(): Promise<Column[]> {
  const { stdout } = await asUser(import.meta.filename, ["--json", "embedded"]);
  return Matrix.parse(JSON.parse(stdout.toString()));
}
