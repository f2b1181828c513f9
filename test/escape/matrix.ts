import type { EffectivePolicy } from "../../src/contract/policy.ts";
import type { TestEnvironment } from "../support/placement-environment.ts";
import { FULL_ACCESS, READ_ONLY, WORKSPACE_WRITE, withNetwork } from "../support/policies.ts";
import { Bait } from "./bait.ts";
import { bareVerdicts } from "./bare.ts";
import { type Ground, type GroundKind, launchOn, openGround } from "./ground.ts";
import { arm, attackInside, factsFor } from "./inside.ts";
import { attackWithTwoHands } from "./two-handed.ts";
import type { Column, Verdict } from "./verdict.ts";

interface Setting {
  readonly policy: string;
  readonly effective: EffectivePolicy;
  readonly terminal?: boolean;
}

interface Scene {
  readonly ground: Ground;
  readonly bait: Bait;
  /** An environment with a secret, beside those under attack. */
  readonly other: TestEnvironment;
}

const SETTINGS: readonly Setting[] = [
  { policy: "read-only", effective: READ_ONLY },
  { policy: "read-only, network on", effective: withNetwork(READ_ONLY) },
  { policy: "workspace-write", effective: WORKSPACE_WRITE },
  {
    policy: "workspace-write, network on",
    effective: withNetwork(WORKSPACE_WRITE),
    terminal: true,
  },
  { policy: "danger-full-access", effective: FULL_ACCESS },
  { policy: "danger-full-access, network off", effective: { ...FULL_ACCESS, network: "off" } },
];

/** Every attack on one placement, as whoever runs this. */
export async function matrixOf(kind: GroundKind): Promise<Column[]> {
  await using bait = await Bait.lay();
  await using ground = await openGround(kind);
  const column = columnsOf(kind);
  await using other = await launchOn(ground, WORKSPACE_WRITE);
  await other.put("/workspace", [{ name: "secret", content: `${bait.secretText}\n` }]);
  const scene = { ground, bait, other };
  const columns = SETTINGS.map(async (setting) => {
    const name = setting.terminal ? `${setting.policy}, terminal` : setting.policy;
    return column(name, await attackUnder(setting, scene));
  });
  return [
    ...(await Promise.all(columns)),
    column("two hands", await attackWithTwoHands(ground, bait)),
  ];
}

/** The attacks that work everywhere, without any sandbox: an attack that fails here tells nothing. */
export async function bareColumn(): Promise<Column> {
  await using bait = await Bait.lay();
  return columnsOf("none")("bare", await bareVerdicts(bait));
}

function columnsOf(placement: string): (policy: string, verdicts: readonly Verdict[]) => Column {
  const user = process.getuid?.() === 0 ? "root" : "ordinary";
  return (policy, verdicts) => ({ placement, user, policy, verdicts: [...verdicts] });
}

async function attackUnder(
  { policy, effective, terminal = false }: Setting,
  { ground, bait, other }: Scene,
): Promise<readonly Verdict[]> {
  await using environment = await launchOn(ground, effective);
  await arm(environment);
  const facts = await factsFor(environment, other, policy, { ground, bait });
  const verdicts = await attackInside(environment, facts, terminal);
  await environment.call("outwork/hello", {});
  return verdicts;
}
