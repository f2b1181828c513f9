import type { RemoteEnvironment } from "../client/index.ts";

/** One line for each step: what it shows, and what came back. A step that throws ends the tour. */
export async function step(what: string, act: () => Promise<string>): Promise<void> {
  try {
    console.log(`✓ ${what}: ${await act()}`);
  } catch (error) {
    console.error(`✗ ${what}`);
    throw error;
  }
}

/** What a command prints; it must succeed. */
export async function output(environment: RemoteEnvironment, cmd: string): Promise<string> {
  const result = await environment.execCommand({ cmd });
  const text = result.output.trim();
  if (result.exit_code === 0) return text;
  throw new Error(`\`${cmd}\` in ${environment.id} ended with ${result.exit_code}: ${text}`);
}

/** The words with which the kernel refuses a command; it must be refused. */
export async function refusal(
  environment: RemoteEnvironment,
  cmd: string,
  words: RegExp,
): Promise<string> {
  const result = await environment.execCommand({ cmd });
  const refused = result.output.split("\n").find((line) => words.test(line));
  if (result.exit_code !== 0 && refused !== undefined) return refused.trim();
  throw new Error(
    `\`${cmd}\` in ${environment.id} should have been refused, and ended with ` +
      `${result.exit_code}: ${result.output.trim()}`,
  );
}
