import { tarCreate, tarExtract } from "../../../src/agent/archive/verbs.ts";

/** The archive verbs as a program: `tar-verb create|extract PATH`. Tells its memory in the end. */
const [verb, path = ""] = process.argv.slice(2);
process.exitCode =
  verb === "create"
    ? await tarCreate(path, process.stdout, process.stderr)
    : await tarExtract(path, process.stdin, process.stdout);
if (process.env.TELL_MEMORY) process.stderr.write(`${process.resourceUsage().maxRSS}\n`);
