import { setMaxListeners } from "node:events";
import { asError } from "../../errors.ts";
import { type Envelope, idOfOversized, MalformedMessageError, readEnvelope } from "../envelope.ts";
import type { Executor, ExtensionMethod } from "../executor.ts";
import { plain } from "../json/value.ts";
import { MAX_MESSAGE_BYTES } from "../limits.ts";
import { environmentInfo } from "../methods/environment-info.ts";
import { METHODS } from "../methods/index.ts";
import type { Method } from "../methods/method.ts";
import { initializeParams } from "../params/environment.ts";
import { clip } from "../quote.ts";
import { RPC_CODES, RpcError } from "../rpc-error.ts";
import type { ManagedProcess } from "../session/managed-process.ts";
import type { Attachment, Session } from "../session/session.ts";
import type { Sessions } from "../session/sessions.ts";
import { CLOSE, type Transport } from "../transport/transport.ts";
import { Calls } from "./calls.ts";
import { answerTo, INTERNAL_ERROR } from "./failure.ts";
import { Handshake } from "./handshake.ts";
import { Outbox } from "./outbox.ts";
import { pump } from "./pump.ts";
import { Resources } from "./resources.ts";

type Request = Extract<Envelope, { kind: "request" }> & { readonly bytes: number };

interface ConnectionOptions {
  readonly executor: Executor;
  readonly sessions: Sessions;
  readonly transport: Transport;
  /** Whoever is at the other end; null when that is not known. */
  readonly principal: string | null;
}

/** One client at the other end of one transport. */
export class Connection implements Attachment {
  readonly #options: ConnectionOptions;
  readonly #outbox: Outbox;
  readonly #calls: Calls;
  readonly #handshake = new Handshake();
  readonly #resources = new Resources();
  readonly #ended = new AbortController();

  constructor(options: ConnectionOptions) {
    const { transport, executor } = options;
    setMaxListeners(0, this.#ended.signal);
    this.#options = options;
    this.#outbox = new Outbox(transport);
    this.#calls = new Calls({
      transport,
      outbox: this.#outbox,
      signal: this.#ended.signal,
      onFault: executor.onFault,
    });
  }

  /** One whole message of that many bytes. */
  receive(text: string, bytes: number): void {
    if (this.#ended.signal.aborted) return;
    const envelope = bytes > MAX_MESSAGE_BYTES ? this.#refuse(text, bytes) : this.#read(text);
    if (envelope?.kind === "request") this.#request({ ...envelope, bytes });
    else if (envelope?.kind === "notification") this.#notification(envelope.method);
    else if (envelope !== null) this.#violation("an answer to no request");
  }

  /** The peer has taken something of what was sent. */
  drained(): void {
    this.#outbox.drained();
    this.#calls.drained();
  }

  /** The transport is gone, or about to go. Processes live on in the session. */
  end(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    this.#outbox.close();
    const { session } = this.#handshake;
    if (session !== null) this.#options.sessions.detach(session, this);
    void this.#resources.dispose();
  }

  follow(process: ManagedProcess, afterSeq: number): void {
    const { signal } = this.#ended;
    pump(process, afterSeq, { outbox: this.#outbox, signal }).catch((error: unknown) => {
      if (!signal.aborted) this.#fault(error, "process/output");
    });
  }

  superseded(): void {
    this.#options.transport.close(CLOSE.resumedElsewhere, "session resumed by another connection");
    this.end();
  }

  #read(text: string): Envelope | null {
    try {
      return readEnvelope(text);
    } catch (error) {
      if (!(error instanceof MalformedMessageError)) this.#fault(error, "message");
      this.#outbox.malformed(asError(error).message);
      return null;
    }
  }

  #refuse(text: string, bytes: number): null {
    const detail = `message of ${bytes} bytes exceeds the limit of ${MAX_MESSAGE_BYTES} bytes`;
    this.#outbox.malformed(detail, idOfOversized(text.slice(0, 4096)) ?? undefined);
    return null;
  }

  #notification(method: string): void {
    if (method !== "initialized") this.#violation(`unknown notification ${clip(method)}`);
    else if (!this.#handshake.initialized()) this.#violation("initialized before initialize");
  }

  /** Nobody who breaks the protocol can be relied on to understand an answer. */
  #violation(what: string): void {
    this.#options.transport.close(CLOSE.violation, what.slice(0, 100));
    this.end();
  }

  #request(request: Request): void {
    const extension = this.#options.executor.extensions?.get(request.method);
    const method = METHODS.get(request.method);
    if (request.method === "initialize") this.#answerNow(request, () => this.#initialize(request));
    else if (extension !== undefined) this.#extend(request, extension);
    else if (method !== undefined) this.#call(request, method);
    else this.#outbox.error(request.id, unknownMethod(request.method));
  }

  #call(request: Request, method: Method): void {
    this.#answerNow(request, () => {
      const call = method.prepare(request.params);
      const session = this.#handshake.sessionFor(method.family);
      const { id, bytes, method: name } = request;
      void this.#calls.run({
        id,
        bytes,
        method: name,
        claims: call.claims,
        run: (scope) => call.run({ ...this.#context(session), ...scope }),
      });
    });
  }

  #context(session: Session) {
    const outbox = this.#outbox;
    const { handles, streams, watch } = this.#resources;
    return {
      executor: this.#options.executor,
      session,
      handles,
      streams,
      watch,
      signal: this.#ended.signal,
      room: () => outbox.room(),
      notify: (method: string, params: object | string) => outbox.notify(method, params),
    };
  }

  #extend({ id, bytes, method, params }: Request, extension: ExtensionMethod): void {
    const { signal } = this.#ended;
    const run = async () => ({ result: await extension(plain(params), { signal }) });
    void this.#calls.run({ id, bytes, method, claims: [], run });
  }

  /** Runs what either answers by itself or fails at once. */
  #answerNow(request: Request, work: () => void): void {
    try {
      work();
    } catch (error) {
      const answer = answerTo(error);
      if (answer === null) this.#fault(error, request.method);
      this.#outbox.error(request.id, answer ?? INTERNAL_ERROR);
    }
  }

  #fault(error: unknown, where: string): void {
    this.#options.executor.onFault(error, where);
  }

  #initialize({ id, params }: Request): void {
    const { resumeSessionId } = initializeParams(params);
    this.#handshake.checkFirst();
    const { sessions, principal, executor } = this.#options;
    const session =
      resumeSessionId === null
        ? sessions.open(principal, this)
        : sessions.resume(resumeSessionId, principal, this);
    this.#handshake.initialize(session);
    const result = { sessionId: session.id, environmentInfo: environmentInfo(executor) };
    this.#outbox.result(id, result);
    session.followAll();
  }
}

function unknownMethod(method: string): RpcError {
  const message = `exec-server stub does not implement \`${clip(method)}\` yet`;
  return new RpcError(RPC_CODES.methodNotFound, message);
}
