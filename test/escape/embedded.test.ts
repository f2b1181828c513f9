import { test } from "node:test";
import { asUser } from "../support/as-user.ts";
import { checkColumns } from "./check.ts";
import { bareColumn, matrixOf } from "./matrix.ts";
import { Matrix } from "./verdict.ts";

/** Attacks as a program of their own, so that a service of another user can be under them. */
const PROGRAM = new URL("main.js", import.meta.url).pathname;

test("without a sandbox the attacks work that work everywhere", async (t) => {
  checkColumns(t, [await bareColumn()], 10);
});

test("no attack gets further than its policy on the embedded placement", async (t) => {
  checkColumns(t, await matrixOf("embedded"));
});

test("nor where the service is an ordinary user's", async (t) => {
  const { stdout, stderr } = await asUser(PROGRAM, ["--json", "embedded"]);
  t.diagnostic(stderr);
  checkColumns(t, Matrix.parse(JSON.parse(stdout.toString())));
});
