import { test } from "node:test";
import { checkColumns } from "./check.ts";
import { matrixOf } from "./matrix.ts";

test("no attack gets further than its policy on the docker placement", async (t) => {
  checkColumns(t, await matrixOf("docker"));
});
