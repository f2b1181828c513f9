import { encodeBase64 } from "../base64.ts";
import { handleClaim, pathClaim } from "../connection/claims.ts";
import * as decode from "../params/files.ts";
import { fileOptions } from "./file-method.ts";
import { type Method, method } from "./method.ts";

export const HANDLE_METHODS: Readonly<Record<string, Method>> = {
  "fs/open": method({
    family: "filesystem",
    params: decode.openParams,
    claims: ({ handleId, path, mode }) => [
      handleClaim(handleId, "change"),
      pathClaim(path, mode === "read" ? "look" : "change"),
    ],
    run: async ({ handleId, path, mode, sandbox }, context) => {
      const { files } = context.executor;
      await context.handles.open(handleId, mode, async () => {
        return files.open({ path, mode }, await fileOptions({ sandbox }, context));
      });
      return { result: { handleId } };
    },
  }),
  "fs/readBlock": method({
    family: "filesystem",
    params: decode.readBlockParams,
    claims: ({ handleId }) => [handleClaim(handleId, "look")],
    run: async ({ handleId, offset, len }, { handles, admit }) => {
      await admit(2 * len);
      const { chunk, eof } = await handles.read(handleId, offset, len);
      return { result: { chunk: encodeBase64(chunk), eof } };
    },
  }),
  "fs/writeBlock": method({
    family: "filesystem",
    params: decode.writeBlockParams,
    claims: ({ handleId }) => [handleClaim(handleId, "change")],
    run: async ({ handleId, offset, chunk }, { handles }) => {
      await handles.write(handleId, offset, chunk);
      return { result: {} };
    },
  }),
  "fs/close": method({
    family: "filesystem",
    params: decode.closeParams,
    claims: ({ handleId }) => [handleClaim(handleId, "change")],
    run: async ({ handleId }, { handles }) => {
      await handles.close(handleId);
      return { result: {} };
    },
  }),
};
