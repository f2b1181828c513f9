import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Docker from "dockerode";

/** An engine that might as well be on another host. */
export interface RemoteEngine extends AsyncDisposable {
  /** As in `DOCKER_HOST`; a TCP address. */
  readonly host: string;
  readonly docker: Docker;
  /** A folder that is ours here and another, empty one there. */
  readonly hiddenFolder: string;
  /** Cuts every connection and refuses new ones until `reconnect`. */
  disconnect(): void;
  reconnect(): void;
}

/**
 * A network namespace of its own keeps the second engine's hands off the first one's bridge; a mount
 * namespace with an empty folder over one of ours makes that folder one it cannot see.
 */
const START = `
  mount --make-rprivate / && mount -t tmpfs tmpfs "$2" && ip link set lo up &&
  exec dockerd --data-root "$1/data" --exec-root "$1/exec" --pidfile "$1/pid" \\
    --host "unix://$1/engine.sock" --bridge=none --iptables=false --ip-forward=false $3`;

/** Starts a second dockerd. Needs root, and Debian's docker.io or its like. */
export async function startRemoteEngine(flags = ""): Promise<RemoteEngine> {
  if (process.getuid?.() !== 0) throw new Error("a second engine can only be started as root");
  const folder = await mkdtemp(join(tmpdir(), "outwork-engine-"));
  const hiddenFolder = join(folder, "hidden");
  await mkdir(hiddenFolder);
  const args = ["--mount", "--net", "sh", "-c", START, "sh", folder, hiddenFolder, flags];
  const engine = spawn("unshare", args, { stdio: ["ignore", "pipe", "pipe"] });
  const log = createWriteStream(join(folder, "log"));
  engine.stdout.pipe(log);
  engine.stderr.pipe(log);
  const socketPath = join(folder, "engine.sock");
  const docker = new Docker({ socketPath });
  await untilAnswers(docker, engine, join(folder, "log"));
  const door = await openDoor(socketPath);
  return {
    host: `tcp://127.0.0.1:${door.port}`,
    docker,
    hiddenFolder,
    disconnect: door.shut,
    reconnect: door.reopen,
    [Symbol.asyncDispose]: async () => {
      door.close();
      engine.kill("SIGTERM");
      await once(engine, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilAnswers(docker: Docker, engine: ChildProcess, log: string): Promise<void> {
  for (;;) {
    const answers = await docker.ping().then(
      () => true,
      () => false,
    );
    if (answers) return;
    if (engine.exitCode !== null) throw new Error(`dockerd ended: ${await readFile(log, "utf8")}`);
    await sleep(50);
  }
}

/** The engine's socket as a TCP port of this host, half-closes included. */
async function openDoor(socketPath: string) {
  const open = new Set<{ destroy(): void }>();
  let isShut = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (isShut) {
      client.resetAndDestroy();
      return;
    }
    const engine = connect({ path: socketPath, allowHalfOpen: true });
    for (const [from, to] of [
      [client, engine],
      [engine, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => open.delete(from));
    }
  });
  await listen(server);
  const shut = () => {
    isShut = true;
    for (const socket of open) socket.destroy();
  };
  const reopen = () => {
    isShut = false;
  };
  const close = () => {
    shut();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, shut, reopen, close };
}

async function listen(server: Server): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}
