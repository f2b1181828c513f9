import { stdin, stdout } from "node:process";
import { callFiles, openFile } from "../../../src/exec-server/files/index.ts";
import type { PathUri } from "../../../src/exec-server/path-uri.ts";
import type { FileMethod, FileMode, FileParams, OpenFile } from "../../../src/exec-server/ports.ts";
import { RpcError } from "../../../src/exec-server/rpc-error.ts";
import { readFramed, writeFramed } from "./framed.ts";

/** What the helper is asked. Handles are numbers of its own. */
export type HelperRequest =
  | { readonly verb: "call"; readonly method: FileMethod; readonly params: FileParams<FileMethod> }
  | { readonly verb: "open"; readonly path: PathUri; readonly mode: FileMode }
  | {
      readonly verb: "read";
      readonly handle: number;
      readonly offset: bigint;
      readonly length: number;
    }
  | {
      readonly verb: "write";
      readonly handle: number;
      readonly offset: bigint;
      readonly bytes: Uint8Array;
    }
  | { readonly verb: "close"; readonly handle: number };

const handles = new Map<number, OpenFile>();
let nextHandle = 1;

function handleOf(number: number): OpenFile {
  const handle = handles.get(number);
  if (handle === undefined) throw new Error(`no handle ${number}`);
  return handle;
}

async function carryOut(request: HelperRequest): Promise<unknown> {
  switch (request.verb) {
    case "call":
      return callFiles(request.method, request.params);
    case "open":
      handles.set(nextHandle, await openFile(request.path, request.mode));
      return nextHandle++;
    case "read":
      return handleOf(request.handle).read(request);
    case "write":
      return handleOf(request.handle).write(request.offset, request.bytes);
    case "close":
      await handleOf(request.handle)[Symbol.asyncDispose]();
      return handles.delete(request.handle);
  }
}

for await (const message of readFramed(stdin)) {
  const { id, request } = message as { id: number; request: HelperRequest };
  carryOut(request).then(
    (result) => writeFramed(stdout, { id, result }),
    (error: unknown) => {
      const answer =
        error instanceof RpcError ? error.toWire() : { code: 0, message: String(error) };
      writeFramed(stdout, { id, error: answer });
    },
  );
}
