import { OutworkError } from "../../errors.ts";

/** What the system says when there are too many processes, or there is too little memory for one more. */
const EXHAUSTED =
  /EAGAIN|ENOMEM|EMFILE|ENFILE|temporarily unavailable|allocate memory|Too many open/;

/** Nothing runs without its sandbox: a launcher that fails is a refusal, with its own words. */
export function launchRefused(said: string): OutworkError {
  const why = said === "" ? "it ended without a word" : said;
  if (EXHAUSTED.test(said)) {
    return new OutworkError(
      "quota-exceeded",
      `The command was refused, because the environment has no room for another process: ${why}.`,
      { facts: { said } },
    );
  }
  return new OutworkError(
    "enforcement-missing",
    `The command was refused, because its sandbox could not be built: ${why}.`,
    { facts: { missing: "sandbox", said } },
  );
}
