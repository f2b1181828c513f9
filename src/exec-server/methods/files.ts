import { decodeBase64, encodeBase64 } from "../base64.ts";
import { type Claim, pathClaim } from "../connection/claims.ts";
import { DecodeError } from "../decode-error.ts";
import { MAX_READ_FILE_BYTES, WALK_RESPONSE_BYTES } from "../limits.ts";
import * as decode from "../params/files.ts";
import type { PathUri } from "../path-uri.ts";
import type { FileMethod } from "../ports.ts";
import { invalidRequest } from "../rpc-error.ts";
import { fileMethod } from "./file-method.ts";
import type { Method } from "./method.ts";

/** A file read, as bytes, base64 and message, all at once in memory. */
const READ_FILE_ANSWER_BYTES = MAX_READ_FILE_BYTES;
const LISTING_ANSWER_BYTES = 4 * WALK_RESPONSE_BYTES;
const SMALL_ANSWER_BYTES = 0;

function looksAt({ path }: { readonly path: PathUri }): readonly Claim[] {
  return [pathClaim(path, "look")];
}

function changes({ path }: { readonly path: PathUri }): readonly Claim[] {
  return [pathClaim(path, "change")];
}

function same<T>(value: T): T {
  return value;
}

function fileContent(dataBase64: string): Uint8Array {
  try {
    return decodeBase64(dataBase64);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalidRequest(`fs/writeFile requires valid base64 dataBase64: ${error.message}`);
  }
}

export const FILE_METHODS: Readonly<Record<FileMethod, Method>> = {
  "fs/readFile": fileMethod("fs/readFile", {
    params: decode.readFileParams,
    claims: looksAt,
    answerBytes: READ_FILE_ANSWER_BYTES,
    call: ({ path, followSymlinks }) => ({ path, followSymlinks }),
    result: ({ data }) => ({ dataBase64: encodeBase64(data) }),
  }),
  "fs/writeFile": fileMethod("fs/writeFile", {
    params: decode.writeFileParams,
    claims: changes,
    answerBytes: SMALL_ANSWER_BYTES,
    call: ({ path, dataBase64, followSymlinks }) => {
      return { path, data: fileContent(dataBase64), followSymlinks };
    },
    result: same,
  }),
  "fs/createDirectory": fileMethod("fs/createDirectory", {
    params: decode.createDirectoryParams,
    claims: changes,
    answerBytes: SMALL_ANSWER_BYTES,
    call: ({ path, recursive, followSymlinks }) => ({ path, recursive, followSymlinks }),
    result: same,
  }),
  "fs/getMetadata": fileMethod("fs/getMetadata", {
    params: decode.getMetadataParams,
    claims: looksAt,
    answerBytes: SMALL_ANSWER_BYTES,
    call: ({ path, followSymlinks }) => ({ path, followSymlinks }),
    result: same,
  }),
  "fs/canonicalize": fileMethod("fs/canonicalize", {
    params: decode.canonicalizeParams,
    claims: looksAt,
    answerBytes: SMALL_ANSWER_BYTES,
    call: ({ path }) => ({ path }),
    result: same,
  }),
  "fs/readDirectory": fileMethod("fs/readDirectory", {
    params: decode.readDirectoryParams,
    claims: looksAt,
    answerBytes: LISTING_ANSWER_BYTES,
    call: ({ path }) => ({ path }),
    result: same,
  }),
  "fs/walk": fileMethod("fs/walk", {
    params: decode.walkParams,
    claims: looksAt,
    answerBytes: LISTING_ANSWER_BYTES,
    call: ({ path, options }) => ({ path, options }),
    result: same,
  }),
  "fs/remove": fileMethod("fs/remove", {
    params: decode.removeParams,
    claims: changes,
    answerBytes: SMALL_ANSWER_BYTES,
    call: ({ path, recursive, force, followSymlinks }) => {
      return { path, recursive, force, followSymlinks };
    },
    result: same,
  }),
  "fs/copy": fileMethod("fs/copy", {
    params: decode.copyParams,
    claims: ({ sourcePath, destinationPath }) => [
      pathClaim(sourcePath, "look"),
      pathClaim(destinationPath, "change"),
    ],
    answerBytes: SMALL_ANSWER_BYTES,
    call: ({ sourcePath, destinationPath, recursive }) => {
      return { sourcePath, destinationPath, recursive };
    },
    result: same,
  }),
};
