import { Problem } from "../contract/problem.ts";
import { fromProblem, OutworkError } from "../errors.ts";
import { type Request, transportFailure } from "./transport-failure.ts";

/** What proxies answer while the service behind them is away. */
const AWAY = new Set([502, 503, 504]);

/** The error that an answer other than 2xx stands for. */
export function refusal(status: number, text: string, sent: Request): OutworkError {
  const problem = Problem.safeParse(parsed(text));
  if (problem.success) return fromProblem(problem.data);
  const message = `answered ${status} by something that is not Outwork`;
  if (AWAY.has(status)) return transportFailure(new Error(message), sent);
  const facts = { http_status: status };
  return new OutworkError("internal", `${sent.method} ${sent.path} was ${message}`, { facts });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
