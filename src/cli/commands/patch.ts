import { buffer } from "node:stream/consumers";
import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { JSON_FLAG } from "../global-flags.ts";
import { operands } from "../operands.ts";
import { withProgress } from "../progress.ts";
import { write, writeJson } from "../write.ts";

export const patch = command({
  name: "patch",
  summary: "Apply a patch to the files of an environment",
  usage: "ENV",
  description: [
    "Reads a patch in the format of the tool `apply_patch` from stdin, verifies all of it against the",
    "files, then writes, under the environment's policy. The exit code is 1 when it was refused or",
    "could not be applied to its end.",
  ].join("\n"),
  examples: ["outwork patch env_1 < change.patch", "outwork patch --dry-run env_1 < change.patch"],
  flags: {
    atomic: { help: "Change all files of the patch or none, across crashes too." },
    "dry-run": { help: "Say what would change, and change nothing." },
    json: JSON_FLAG,
  },
  async run(parsed, { connect, stdin, stdout, stderr }) {
    const [environmentId] = operands(parsed, ["ENV"]);
    const { json, atomic, "dry-run": dry_run } = parsed.flags;
    const text = (await buffer(stdin)).toString("utf8");
    await using outwork = await connect();
    const work = outwork
      .environment(environmentId)
      .applyPatch({ patch: text, options: { atomic, dry_run } });
    const result = await withProgress(stderr, () => "applying the patch", work);
    if (json) await writeJson(stdout, result);
    else await write(result.exit_code === 0 ? stdout : stderr, `${result.text.trimEnd()}\n`);
    return result.exit_code === 0 ? EXIT.ok : EXIT.failure;
  },
});
