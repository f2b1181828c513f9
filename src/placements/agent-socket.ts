import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCode } from "../errors.ts";

const RETRY_MS = 10;

/**
 * Connects to an agent's socket. An agent that has not got to those who came before is waited for.
 * @see unix(7): EAGAIN when the queue of a listening socket is full
 */
export async function connectAgentSocket(path: string, signal: AbortSignal): Promise<Socket> {
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, "connect", { signal });
      return socket;
    } catch (error) {
      socket.destroy();
      if (systemCode(error) !== "EAGAIN") throw error;
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}
