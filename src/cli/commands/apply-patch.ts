import { command } from "../command.ts";
import { write } from "../write.ts";

export const applyPatch = command({
  name: "apply-patch",
  summary: "Apply a patch to the files of this machine, without any sandbox",
  usage: "[PATCH]",
  description: [
    "What the program `apply_patch` does inside environments, in the current folder: reads a patch as",
    "its argument or from stdin, and applies it file after file. Answers and exit codes are the",
    "original program's. The files are this machine's: whatever you may write, the patch may.",
  ].join("\n"),
  examples: [
    "outwork apply-patch < change.patch",
    'outwork apply-patch --compat "$(cat change.patch)"',
  ],
  flags: {
    compat: { help: "Keep the original's faults that lose a file, its mode or its content." },
  },
  async run({ flags, words, rest }, { stdin, stdout, stderr }) {
    const { runHere } = await import("../../patch/here.ts");
    const result = await runHere([...words, ...rest], stdin, { compat: flags.compat });
    await write(stdout, result.stdout);
    await write(stderr, result.stderr);
    return result.exit_code;
  },
});
