import type { Column, Verdict } from "./verdict.ts";

const MARKS = { stopped: "·", worked: "allowed", broken: "BROKEN" } as const;

/** The attacks that went otherwise than they should. */
export function surprises(columns: readonly Column[]): string[] {
  return columns.flatMap(({ placement, user, policy, verdicts }) =>
    verdicts
      .filter(({ as_it_should }) => !as_it_should)
      .map(({ title, outcome, by, detail }) =>
        [placement, user, policy, title, outcome, by, detail].filter(Boolean).join(" | "),
      ),
  );
}

/** One line for every setting and group: how many attacks were stopped, and what the policy allows. */
export function summary(columns: readonly Column[]): string {
  return columns
    .map((column) => {
      const groups = [...new Set(column.verdicts.map(({ group }) => group))];
      const counts = groups.map((group) => `  ${group}: ${countsOf(ofGroup(column, group))}`);
      return [headOf(column), ...counts].join("\n");
    })
    .join("\n");
}

/** Every attack in every setting. */
export function table(columns: readonly Column[]): string {
  const titles = [
    ...new Set(columns.flatMap(({ verdicts }) => verdicts.map(({ title }) => title))),
  ];
  const rows = titles.map((title) => {
    const marks = columns.map(({ verdicts }) =>
      markOf(verdicts.find((each) => each.title === title)),
    );
    return `${marks.map((mark) => mark.padEnd(8)).join("")} ${title}`;
  });
  const heads = columns.map((column, index) => `${index + 1}: ${headOf(column)}`);
  return [...heads, "", columns.map((_, index) => `${index + 1}`.padEnd(8)).join(""), ...rows].join(
    "\n",
  );
}

function headOf({ placement, user, policy }: Column): string {
  return `${placement}, service as ${user}, ${policy}`;
}

function ofGroup({ verdicts }: Column, group: string): readonly Verdict[] {
  return verdicts.filter((verdict) => verdict.group === group);
}

function countsOf(verdicts: readonly Verdict[]): string {
  const stopped = verdicts.filter(({ outcome }) => outcome === "stopped").length;
  const allowed = verdicts.filter((each) => each.outcome === "worked" && each.as_it_should).length;
  const wrong = verdicts.filter(({ as_it_should }) => !as_it_should).length;
  return `${stopped} stopped, ${allowed} allowed, ${wrong} otherwise than they should`;
}

function markOf(verdict: Verdict | undefined): string {
  if (!verdict) return "";
  return verdict.as_it_should ? MARKS[verdict.outcome] : "ESCAPED";
}
