const GATHERED_BYTES = 262_144;

/** Joins small parts, so that writing many of them takes few system calls. Copies no large one. */
export function* gathered(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    const large = part.length >= GATHERED_BYTES;
    if (bytes > 0 && (large || bytes >= GATHERED_BYTES)) {
      yield Buffer.concat(waiting);
      waiting = [];
      bytes = 0;
    }
    if (large) yield part;
    else waiting.push(part);
    if (!large) bytes += part.length;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
