import { fitsHost, nativeBytes, type PathUri, unfit } from "../path-uri.ts";
import { invalidRequest } from "../rpc-error.ts";

const SLASH = Buffer.from("/");

/** The bytes of a path on this host. @throws RpcError for a path of another kind of machine */
export function pathOf(uri: PathUri): Buffer {
  if (!fitsHost(uri)) throw invalidRequest(unfit(uri));
  return nativeBytes(uri);
}

export function child(folder: Buffer, name: Buffer): Buffer {
  const separator = folder.equals(SLASH) ? Buffer.alloc(0) : SLASH;
  return Buffer.concat([folder, separator, name]);
}

export function parent(path: Buffer): Buffer {
  const end = path.lastIndexOf(SLASH);
  return end <= 0 ? SLASH : path.subarray(0, end);
}

export function lastName(path: Buffer): Buffer {
  return path.subarray(path.lastIndexOf(SLASH) + 1);
}

/** Names from the root down. None for the root itself. */
export function namesOf(path: Buffer): Buffer[] {
  const names = path.toString("latin1").split("/").slice(1);
  return names.filter((name) => name !== "").map((name) => Buffer.from(name, "latin1"));
}
