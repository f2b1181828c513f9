/** Enough to see the first entry's name, which may follow a header of its own. */
const HEAD_BYTES = 1_024;
const BLOCK_BYTES = 512;
const NAME_BYTES = 100;
const TYPE_AT = 156;
/** What the name of a folder's content begins with; a single file has its bare name. */
const BELOW = "./";

/** A tar stream whose beginning has been looked at. */
export interface SeenTar {
  readonly kind: "file" | "folder";
  /** The whole stream, its beginning included. */
  readonly tar: AsyncIterable<Buffer>;
}

/** Whether a tar stream from an environment holds one file or the content of a folder. */
export async function seenTar(stream: AsyncIterable<Buffer>): Promise<SeenTar> {
  const pieces = stream[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < HEAD_BYTES) {
    const next = await pieces.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  return { kind: kindOf(head), tar: joined(head, pieces) };
}

function kindOf(head: Buffer): SeenTar["kind"] {
  const nameAt = head[TYPE_AT] === "L".charCodeAt(0) ? BLOCK_BYTES : 0;
  const name = head.subarray(nameAt, nameAt + NAME_BYTES).toString("latin1");
  return name.startsWith(BELOW) || /^\0*$/.test(name) ? "folder" : "file";
}

async function* joined(head: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      yield next.value;
    }
  } finally {
    await pieces.return?.();
  }
}
