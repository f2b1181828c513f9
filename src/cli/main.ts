#!/usr/bin/env node
import process from "node:process";
import { run } from "./run.ts";

const { stdin, stdout, stderr, env: variables } = process;
// A reader that goes away fails the write that notices it; the event says the same once more.
for (const stream of [stdout, stderr]) stream.on("error", () => {});

process.exitCode = await run(process.argv.slice(2), { stdin, stdout, stderr, variables });
