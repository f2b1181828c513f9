import { runHere } from "./here.ts";

/** The program `apply_patch` of environments. */
async function main(words: readonly string[]): Promise<void> {
  const { exit_code, stdout, stderr } = await runHere(words, process.stdin);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exit_code;
}

void main(process.argv.slice(2));
