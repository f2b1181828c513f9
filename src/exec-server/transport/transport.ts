/** Why the server ends a connection. Codes of RFC 6455; 4001 is our own. */
export const CLOSE = {
  goingAway: 1001,
  violation: 1002,
  invalidText: 1007,
  tooLarge: 1009,
  overloaded: 1013,
  resumedElsewhere: 4001,
} as const;
export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];

/** One duplex of whole messages. Whoever makes it tells the connection of messages, drains, its end. */
export interface Transport {
  /** As errors call the peer: `exec-server websocket 127.0.0.1:48500`. */
  readonly name: string;
  /** Bytes given to `send` that the peer has not taken yet. */
  readonly pendingBytes: number;
  send(message: Uint8Array): void;
  close(code: CloseCode, reason: string): void;
  /** Stops reading from the peer. */
  pause(): void;
  resume(): void;
}
