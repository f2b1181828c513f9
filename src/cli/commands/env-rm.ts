import { command } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { JSON_FLAG } from "../global-flags.ts";
import { withProgress } from "../progress.ts";
import { UsageError } from "../usage-error.ts";
import { write, writeJson } from "../write.ts";

export const envRm = command({
  name: "env rm",
  summary: "Remove environments",
  usage: "ENV…",
  description: [
    "Ends every process of each environment and removes it with its files. Prints the id of each",
    "that is gone; the first one that cannot be removed ends the work.",
  ].join("\n"),
  examples: ["outwork env rm env_1 env_2"],
  flags: { json: JSON_FLAG },
  async run({ flags, words, rest }, { connect, stdout, stderr }) {
    const ids = [...words, ...rest];
    if (ids.length === 0) throw new UsageError("ENV is missing");
    await using outwork = await connect();
    for (const id of ids) {
      await withProgress(stderr, () => `removing ${id}`, outwork.environments.remove(id));
      if (!flags.json) await write(stdout, `${id}\n`);
    }
    if (flags.json) await writeJson(stdout, { removed: ids });
    return EXIT.ok;
  },
});
