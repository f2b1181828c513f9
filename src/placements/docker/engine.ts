import type { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import Docker from "dockerode";
import type { WaitOptions } from "../../core/agent-link.ts";
import { dialOptions, type EngineAddress } from "./address.ts";
import { callEngine, EngineRefusal } from "./engine-call.ts";

/** A healthy engine answers in milliseconds; one that does not answer in this time is away. */
const CALL_TIMEOUT_MS = 30_000;
/** Copying the toolbox or an image's files to a distant engine. */
const COPY_TIMEOUT_MS = 600_000;
const KEEPALIVE_MS = 30_000;
const REMOVAL_STEP_MS = 50;
const NOT_FOUND = 404;
export const CONFLICT = 409;

export type ContainerOptions = Docker.ContainerCreateOptions;
export type ContainerDetails = Docker.ContainerInspectInfo;
export type ContainerSummary = Docker.ContainerInfo;

/** What the engine says about a path inside of a container. */
export interface PathStat {
  readonly isFolder: boolean;
}

/**
 * The container engine in the words of this placement. Each call has its own connection and its own
 * deadline. @throws see `callEngine`
 */
export class Engine {
  readonly #docker: Docker;

  constructor(address: EngineAddress) {
    this.#docker = new Docker(dialOptions(address));
  }

  /** The engine's description of itself. */
  describe(options: WaitOptions): Promise<Record<string, unknown>> {
    // The library's types do not know that it passes a signal on here.
    const docker = this.#docker as unknown as {
      info(options: object): Promise<Record<string, unknown>>;
    };
    return this.#call("describe itself", options, (abortSignal) => docker.info({ abortSignal }));
  }

  async createContainer(options: ContainerOptions, wait: WaitOptions): Promise<string> {
    const container = await this.#call("create a container", wait, (abortSignal) =>
      this.#docker.createContainer({ ...options, abortSignal }),
    );
    return container.id;
  }

  async startContainer(id: string, wait: WaitOptions): Promise<void> {
    const container = this.#docker.getContainer(id);
    await this.#call("start a container", wait, (abortSignal) => container.start({ abortSignal }));
  }

  /** By id or name. @returns null: there is no such container */
  inspectContainer(id: string, wait: WaitOptions): Promise<ContainerDetails | null> {
    const container = this.#docker.getContainer(id);
    return unlessGone(
      this.#call("inspect a container", wait, (abortSignal) => container.inspect({ abortSignal })),
    );
  }

  /** Containers in any state that carry all these labels, `name=value`. */
  listContainers(labels: readonly string[], wait: WaitOptions): Promise<ContainerSummary[]> {
    const filters = JSON.stringify({ label: labels });
    return this.#call("list containers", wait, (abortSignal) =>
      this.#docker.listContainers({ all: true, filters, abortSignal }),
    );
  }

  /** Removes a container in any state with its anonymous volumes. One that is gone is no error. */
  async removeContainer(id: string, wait: WaitOptions): Promise<void> {
    const container = this.#docker.getContainer(id);
    const options = { force: true, v: true };
    try {
      await this.#call("remove a container", wait, (abortSignal) =>
        container.remove({ ...options, abortSignal }),
      );
    } catch (error) {
      const status = error instanceof EngineRefusal ? error.status : 0;
      if (status === CONFLICT) await this.#waitForRemoval(id, wait);
      else if (status !== NOT_FOUND) throw error;
    }
  }

  /** A container's stdio from now on, output in stream frames; ends when the container does. */
  attach(id: string, wait: WaitOptions): Promise<Duplex> {
    const container = this.#docker.getContainer(id);
    const options = { stream: true, stdin: true, stdout: true, stderr: true, hijack: true };
    return this.#call("attach to a container", wait, (abortSignal) =>
      container.attach({ ...options, abortSignal }),
    ) as Promise<Duplex>;
  }

  /** Waits until a container has stopped. */
  async waitForExit(id: string, wait: WaitOptions): Promise<void> {
    const container = this.#docker.getContainer(id);
    await this.#call("wait for a container", wait, (abortSignal) =>
      container.wait({ abortSignal }),
    );
  }

  /** The end of what a container printed, with its stream frames. */
  async readLog(id: string, lines: number, wait: WaitOptions): Promise<Buffer> {
    const container = this.#docker.getContainer(id);
    const options = { stdout: true, stderr: true, tail: lines, follow: false } as const;
    return this.#call("read a container's log", wait, (abortSignal) =>
      container.logs({ ...options, abortSignal }),
    );
  }

  /** Unpacks a tar stream over a folder of a container, which need not run. */
  async putFiles(id: string, path: string, tar: Readable, wait: WaitOptions): Promise<void> {
    const container = this.#docker.getContainer(id);
    // A file never takes the place of a folder, nor a folder of a file.
    const options = { path, noOverwriteDirNonDir: "1" };
    try {
      await this.#copy("put files into a container", wait, (abortSignal) =>
        container.putArchive(tar, { ...options, abortSignal }),
      );
    } finally {
      tar.destroy();
    }
  }

  /** A tar stream of one file or folder of a container. */
  getFiles(id: string, path: string, wait: WaitOptions): Promise<Readable> {
    const container = this.#docker.getContainer(id);
    return this.#copy("read files of a container", wait, (abortSignal) =>
      container.getArchive({ path, abortSignal }),
    ) as Promise<Readable>;
  }

  /** What is at a path of a container, links not followed; null: nothing. */
  async statPath(id: string, path: string, wait: WaitOptions): Promise<PathStat | null> {
    const container = this.#docker.getContainer(id);
    const answer = await unlessGone(
      this.#call("look at a container's files", wait, (abortSignal) =>
        container.infoArchive({ path, abortSignal }),
      ),
    );
    return answer === null ? null : parseStat(answer.headers["x-docker-container-path-stat"]);
  }

  /** @returns null: the engine has no such image */
  inspectImage(name: string, wait: WaitOptions): Promise<Docker.ImageInspectInfo | null> {
    const image = this.#docker.getImage(name);
    return unlessGone(this.#call("inspect an image", wait, () => image.inspect()));
  }

  /** Starts fetching an image; the answer is a stream of JSON lines. */
  pullImage(name: string, wait: WaitOptions): Promise<Readable> {
    return this.#call("pull an image", wait, (abortSignal) =>
      this.#docker.pull(name, { abortSignal }),
    ) as Promise<Readable>;
  }

  /** Makes an image of a tar stream; the answer is a stream of JSON lines. */
  importImage(
    tar: Readable,
    repo: string,
    changes: string[],
    wait: WaitOptions,
  ): Promise<Readable> {
    return this.#copy("import an image", wait, (abortSignal) =>
      this.#docker.importImage(tar, { repo, tag: "latest", changes, abortSignal }),
    ) as Promise<Readable>;
  }

  /** Creates a volume, or leaves the one of that name as it is. */
  async createVolume(
    name: string,
    labels: Record<string, string>,
    wait: WaitOptions,
  ): Promise<void> {
    await this.#call("create a volume", wait, (abortSignal) =>
      this.#docker.createVolume({ Name: name, Labels: labels, abortSignal }),
    );
  }

  /** @returns null: there is no such volume */
  inspectVolume(name: string, wait: WaitOptions): Promise<Docker.VolumeInspectInfo | null> {
    const volume = this.#docker.getVolume(name);
    return unlessGone(
      this.#call("inspect a volume", wait, (abortSignal) => volume.inspect({ abortSignal })),
    );
  }

  /** Names of the volumes that carry all these labels, `name=value` or `name`. */
  async listVolumes(labels: readonly string[], wait: WaitOptions): Promise<string[]> {
    const filters = JSON.stringify({ label: labels });
    const { Volumes } = await this.#call("list volumes", wait, (abortSignal) =>
      this.#docker.listVolumes({ filters, abortSignal }),
    );
    return (Volumes ?? []).map(({ Name }) => Name);
  }

  /** @returns false: something uses it */
  async removeVolume(name: string, wait: WaitOptions): Promise<boolean> {
    const volume = this.#docker.getVolume(name);
    try {
      await this.#call("remove a volume", wait, (abortSignal) => volume.remove({ abortSignal }));
      return true;
    } catch (error) {
      const status = error instanceof EngineRefusal ? error.status : 0;
      if (status !== CONFLICT && status !== NOT_FOUND) throw error;
      return status === NOT_FOUND;
    }
  }

  /** Events of containers with this label, as a stream of JSON lines that ends with the connection. */
  async watchContainers(label: string, events: string[], wait: WaitOptions): Promise<Readable> {
    const filters = { type: ["container" as const], label: [label], event: events };
    const answer = await this.#call("report events", wait, (abortSignal) =>
      this.#docker.getEvents({ filters, abortSignal }),
    );
    const { socket } = answer as IncomingMessage;
    return probed(socket, answer as IncomingMessage);
  }

  /** Runs a program in a container with its stdio on one duplex stream, output in stream frames. */
  async exec(id: string, argv: readonly string[], wait: WaitOptions): Promise<Duplex> {
    const streams = { AttachStdin: true, AttachStdout: true, AttachStderr: true };
    const exec = await this.#call("exec in a container", wait, (abortSignal) =>
      this.#docker.getContainer(id).exec({ ...streams, Cmd: [...argv], abortSignal }),
    );
    const stream = await this.#call("start an exec", wait, (abortSignal) =>
      exec.start({ hijack: true, stdin: true, abortSignal }),
    );
    return probed(stream, stream);
  }

  /** Somebody else is removing it. */
  async #waitForRemoval(id: string, wait: WaitOptions): Promise<void> {
    while ((await this.inspectContainer(id, wait)) !== null) {
      await sleep(REMOVAL_STEP_MS, undefined, wait);
    }
  }

  #call<T>(
    what: string,
    { signal }: WaitOptions,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return callEngine({ what, signal, timeoutMs: CALL_TIMEOUT_MS }, run);
  }

  #copy<T>(
    what: string,
    { signal }: WaitOptions,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return callEngine({ what, signal, timeoutMs: COPY_TIMEOUT_MS }, run);
  }
}

/** Has the kernel look now and then whether a far engine is still there: a quiet stream may be dead. */
function probed<T>(connection: Duplex, stream: T): T {
  if (connection instanceof Socket) connection.setKeepAlive(true, KEEPALIVE_MS);
  return stream;
}

async function unlessGone<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof EngineRefusal && error.status === NOT_FOUND) return null;
    throw error;
  }
}

/** Go's file mode, in which the topmost bit marks a folder. */
const GO_MODE_DIR = 0x8000_0000;

function parseStat(header: unknown): PathStat {
  const { mode } = JSON.parse(Buffer.from(String(header), "base64").toString()) as { mode: number };
  return { isFolder: mode >= GO_MODE_DIR };
}
