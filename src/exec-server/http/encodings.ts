import { pipeline, type Transform } from "node:stream";
import * as zlib from "node:zlib";
import type { HttpHeader, HttpReply } from "../ports.ts";

type MakeDecoder = () => Transform;

/** What this version of Node can decode. */
const DECODERS: ReadonlyMap<string, MakeDecoder> = new Map(
  Object.entries({
    ...zstandard(),
    gzip: () => zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH }),
  }),
);

function zstandard(): Record<string, MakeDecoder> {
  const { createZstdDecompress } = zlib as { createZstdDecompress?: MakeDecoder };
  return createZstdDecompress === undefined ? {} : { zstd: createZstdDecompress };
}

export function acceptedEncodings(): string {
  return [...DECODERS.keys()].join(",");
}

/** The reply with its body decoded, and without the headers that describe the encoded one. */
export function decoded(reply: HttpReply): HttpReply {
  const encoding = reply.headers.find(({ name }) => name === "content-encoding")?.value;
  const makeDecoder = DECODERS.get(encoding?.trim().toLowerCase() ?? "");
  if (makeDecoder === undefined) return reply;
  const headers = reply.headers.filter(describesDecoded);
  return { ...reply, headers, body: pipeline(reply.body, makeDecoder(), () => {}) };
}

function describesDecoded({ name }: HttpHeader): boolean {
  return name !== "content-encoding" && name !== "content-length";
}
