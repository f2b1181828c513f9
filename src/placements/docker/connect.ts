import type { Duplex } from "node:stream";
import type { Program } from "../../contract/agent.ts";
import type { WaitOptions } from "../../core/agent-link.ts";
import { connectAgentSocket } from "../agent-socket.ts";
import { SOCKET } from "./agent-config.ts";
import { Bridge } from "./bridge.ts";
import { type Doors, kindOf } from "./doors.ts";
import type { Engine } from "./engine.ts";

/** How to get a fresh stream to one agent. */
export interface Way {
  readonly engine: Engine;
  readonly doors: Doors;
  readonly containerId: string;
  readonly door: string;
  /** argv of the agent inside of the container; a verb follows. */
  readonly agentProgram: Program;
}

/** Opens the agent's socket: here where its folder is ours, through the engine where it is not. */
export function connectAgent(way: Way, wait: WaitOptions): Promise<Duplex> {
  const { door, doors } = way;
  if (kindOf(door) !== "folder") return openBridge(way, wait);
  return connectAgentSocket(doors.socket(door), wait.signal);
}

async function openBridge(
  { engine, containerId, agentProgram }: Way,
  wait: WaitOptions,
): Promise<Duplex> {
  return new Bridge(await engine.exec(containerId, [...agentProgram, "bridge", SOCKET], wait));
}
