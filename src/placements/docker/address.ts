import { readFileSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { join } from "node:path";
import type { DockerOptions } from "dockerode";
import { OutworkError } from "../../errors.ts";

const DEFAULT_HOST = "unix:///var/run/docker.sock";
const PLAIN_PORT = "2375";
const TLS_PORT = "2376";

/** Where the engine is. */
export interface EngineAddress {
  /** As in `DOCKER_HOST`: `unix:///path` or `tcp://host:port`. Omitted: this host's socket. */
  readonly host?: string;
  /** Folder with `ca.pem`, `cert.pem` and `key.pem`, as in `DOCKER_CERT_PATH`. TCP then means TLS. */
  readonly certificates?: string;
}

/**
 * What the client library needs to reach the engine. Every member is named, or the library would
 * fill it from its own reading of the environment. No connection is kept for later calls: a hung
 * call holds up no other, and a restarted engine leaves no dead one behind.
 * @throws `validation-failed` an address of another form
 */
export function dialOptions({ host = DEFAULT_HOST, certificates }: EngineAddress): DockerOptions {
  const socketPath = /^(?:unix:\/\/)?(\/.+)$/.exec(host)?.[1];
  if (socketPath !== undefined) {
    return named({ protocol: "http", socketPath, agent: new HttpAgent() });
  }
  const { groups } = /^tcp:\/\/(?<name>[^/:]+|\[[^\]/]+\])(?::(?<port>\d+))?\/?$/.exec(host) ?? {};
  if (groups?.name === undefined) throw badAddress(host);
  if (certificates === undefined) {
    const tcp = { host: groups.name, port: groups.port ?? PLAIN_PORT };
    return named({ protocol: "http", ...tcp, agent: new HttpAgent() });
  }
  const keys = readKeys(certificates);
  const tls = { host: groups.name, port: groups.port ?? TLS_PORT, ...keys };
  return named({ protocol: "https", ...tls, agent: new HttpsAgent(keys) });
}

function named(options: DockerOptions & { agent: HttpAgent }): DockerOptions {
  const nothing = { host: undefined, port: undefined, ca: undefined, cert: undefined };
  const rest = { key: undefined, timeout: undefined, pathPrefix: "/" };
  return { ...nothing, ...rest, ...options } as DockerOptions;
}

function badAddress(host: string): OutworkError {
  return new OutworkError(
    "validation-failed",
    `The engine's address ${JSON.stringify(host)} is neither unix:///PATH nor tcp://HOST:PORT.`,
  );
}

function readKeys(folder: string): { ca: Buffer; cert: Buffer; key: Buffer } {
  const read = (name: string) => readFileSync(join(folder, name));
  return { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem") };
}
