/** Numbers of the exec-server protocol, as clients of Codex 0.171.0 know them. */

/** One frame towards the client, in bytes of payload; larger messages go out in fragments. */
export const FRAGMENT_BYTES = 1_048_576;
/** One message, in either direction, in bytes of UTF-8. Clients drop the connection above it. */
export const MAX_MESSAGE_BYTES = 67_108_864;
/** What a peer may send before it is cut off; between the two it is told that it sent too much. */
export const MAX_TOLERATED_MESSAGE_BYTES = 2 * MAX_MESSAGE_BYTES;
/** Arrays and objects inside each other, counting the message object itself. */
export const MAX_JSON_DEPTH = 127;
/** JSON values in one message: every value counts once, keys do not. */
export const MAX_JSON_VALUES = 262_144;
/** A request id that is a string, in characters: it comes back in the answer. */
export const MAX_ID_CHARS = 1024;
/** A process id, in bytes of UTF-8: it comes back in every notification. */
export const MAX_PROCESS_ID_BYTES = 1024;

/** How often an idle peer is pinged. Pongs are not demanded. */
export const PING_INTERVAL_MS = 30_000;
/** How long a session outlives its connection. Clients try to come back for 45 s. */
export const DETACHED_SESSION_MS = 80_000;
/** How long a process stays readable, and its id taken, after it closed. */
export const CLOSED_PROCESS_MS = 80_000;
/** Closed processes of one session that are kept for that long, and the output they hold in all. */
export const MAX_CLOSED_PROCESSES = 16_384;
export const MAX_CLOSED_OUTPUT_BYTES = 67_108_864;
/** Sessions remembered at once, attached or not. */
export const MAX_SESSIONS = 4096;
/** Connections served at once. */
export const MAX_CONNECTIONS = 256;

/** One output notification carries at most this many bytes. */
export const OUTPUT_CHUNK_BYTES = 8192;
/** Output kept per process, in bytes and in chunks; the oldest goes first. */
export const RETAINED_OUTPUT_BYTES = 1_048_576;
export const RETAINED_OUTPUT_CHUNKS = 50_000;
/** One `process/read` answer carries at most this much, whatever was asked. */
export const MAX_READ_BYTES = 33_554_432;
/** Reads of one connection that may wait at once; one more answers at once. */
export const MAX_WAITING_READS = 1024;
/** Accepted `writeId`s remembered per process. */
export const REMEMBERED_WRITE_IDS = 4096;
/** The only size a terminal can have in this protocol. */
export const TERMINAL_ROWS = 24;
export const TERMINAL_COLS = 80;

/** The largest `fs/readFile`: its base64 and the envelope fill one message. */
export const MAX_READ_FILE_BYTES = 50_330_624;
export const MAX_DIRECTORY_ENTRIES = 50_000;
export const WALK_MAX_DEPTH = 64;
export const WALK_MAX_DIRECTORIES = 10_000;
export const WALK_MAX_ENTRIES = 50_000;
/** Estimate of a walk's answer at which it is cut. */
export const WALK_RESPONSE_BYTES = 4_194_304;
export const WALK_ITEM_BYTES = 64;
export const MAX_FILE_HANDLES = 128;
export const MAX_HANDLE_ID_BYTES = 32;
export const MAX_BLOCK_BYTES = 1_048_576;
export const MAX_WATCHED_PATHS = 64;

/** One body delta carries at most this much. */
export const BODY_DELTA_BYTES = 524_288;
/** Bodies of answers that one connection may have in memory, unless they are streamed. */
export const MAX_HTTP_BODY_BYTES = MAX_READ_FILE_BYTES;
/** Redirects that one request follows. */
export const MAX_REDIRECTS = 10;
/** HTTP requests of one connection that may run at once. */
export const MAX_HTTP_REQUESTS = 128;

/** Requests of one connection that may be under way before no more are read from it. */
export const MAX_REQUESTS_IN_FLIGHT = 512;
/** Bytes of such requests. One message may always be under way, whatever its size. */
export const MAX_REQUEST_BYTES_IN_FLIGHT = 67_108_864;
/** Unsent bytes above which notifications and large answers wait for the client to read. */
export const OUTBOX_HIGH_WATER_BYTES = 1_048_576;
/** Unsent bytes above which nothing more is read from the client. */
export const OUTBOX_STALL_BYTES = 4_194_304;
/** Large answers that may be in the making at once, per connection. */
export const ANSWER_BUDGET_BYTES = 67_108_864;
