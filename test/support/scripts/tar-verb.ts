import { runHelper } from "../../../src/agent/helper.ts";

/** The archive verbs as a program: `tar-verb tar-create|tar-extract PATH`. Can tell its memory. */
await runHelper(process.argv.slice(2));
if (process.env.TELL_MEMORY) process.stderr.write(`${process.resourceUsage().maxRSS}\n`);
