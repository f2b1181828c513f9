// Drives `codex app-server` over standard input and output (one JSON object a
// line), just enough to start threads and turns and to wait for them to end.

import { spawn } from "node:child_process";
import readline from "node:readline";

export class AppServer {
  constructor(codex, { env, cwd, args = [], onMessage } = {}) {
    this.nextId = 1;
    this.waiting = new Map();
    this.listeners = new Set();
    this.notifications = [];
    this.serverRequests = [];
    this.stderr = "";
    this.onMessage = onMessage;
    this.exited = null;
    this.child = spawn(codex, ["app-server", ...args], {
      env,
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stderr.on("data", (d) => {
      this.stderr = (this.stderr + d).slice(-400_000);
    });
    this.done = new Promise((resolve) => {
      this.child.on("error", (error) => {
        this.stderr += String(error);
        this.finish({ error });
        resolve();
      });
      this.child.on("exit", (code, signal) => {
        this.finish({ code, signal });
        resolve();
      });
    });
    this.child.stdin.on("error", () => {});
    readline.createInterface({ input: this.child.stdout }).on("line", (line) => this.receive(line));
  }

  finish(how) {
    this.exited = how;
    for (const { reject } of this.waiting.values())
      reject(new Error(`app-server ended: ${JSON.stringify(how)}`));
    this.waiting.clear();
    for (const fn of [...this.listeners]) fn(null);
  }

  receive(line) {
    let msg;
    try {
      msg = JSON.parse(line);
    } catch {
      return;
    }
    this.onMessage?.("in", msg);
    if (msg.method && msg.id !== undefined) {
      // A question for the user (an approval and the like). There is no user.
      this.serverRequests.push(msg);
      this.write({ id: msg.id, result: { decision: "decline" } });
      return;
    }
    if (msg.method) {
      this.notifications.push(msg);
      for (const fn of [...this.listeners]) fn(msg);
      return;
    }
    const slot = this.waiting.get(msg.id);
    if (!slot) return;
    this.waiting.delete(msg.id);
    if (msg.error) slot.reject(Object.assign(new Error(msg.error.message), { rpc: msg.error }));
    else slot.resolve(msg.result);
  }

  write(msg) {
    this.onMessage?.("out", msg);
    this.child.stdin.write(`${JSON.stringify(msg)}\n`);
  }

  request(method, params, ms = 90_000) {
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      if (this.exited) {
        reject(new Error("app-server is gone"));
        return;
      }
      // The client waits without limit for most answers of an executor.
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error(`${method} was not answered within ${ms} ms`));
      }, ms);
      const end = (fn) => (value) => {
        clearTimeout(timer);
        fn(value);
      };
      this.waiting.set(id, { resolve: end(resolve), reject: end(reject) });
      this.write({ id, method, params });
    });
  }

  notify(method, params) {
    this.write(params === undefined ? { method } : { method, params });
  }

  async initialize() {
    const result = await this.request("initialize", {
      clientInfo: { name: "executor-conformance", title: null, version: "1.0.0" },
      // `environments` on thread/start and turn/start is refused without this.
      capabilities: { experimentalApi: true },
    });
    this.notify("initialized");
    return result;
  }

  /** Resolves with the first notification, old or new, that satisfies `test`. */
  waitFor(test, ms = 60_000, what = "notification") {
    const old = this.notifications.find(test);
    if (old) return Promise.resolve(old);
    return new Promise((resolve, reject) => {
      const end = (fn, value) => {
        clearTimeout(timer);
        this.listeners.delete(look);
        fn(value);
      };
      const look = (msg) => {
        if (msg === null) end(reject, new Error(`app-server ended while waiting for ${what}`));
        else if (test(msg)) end(resolve, msg);
      };
      const timer = setTimeout(
        () => end(reject, new Error(`timed out after ${ms} ms waiting for ${what}`)),
        ms,
      );
      this.listeners.add(look);
      if (this.exited) look(null);
    });
  }

  /** Starts a turn and waits for its end; returns the turn object it ended with. */
  async runTurn(threadId, text, extra = {}, ms = 90_000) {
    const { turn } = await this.request("turn/start", {
      threadId,
      input: [{ type: "text", text, text_elements: [] }],
      ...extra,
    });
    const end = await this.waitFor(
      (m) =>
        m.method === "turn/completed" &&
        m.params.threadId === threadId &&
        m.params.turn.id === turn.id,
      ms,
      "turn/completed",
    );
    return end.params.turn;
  }

  async stop() {
    if (!this.exited) {
      this.child.stdin.end();
      const timer = setTimeout(() => this.child.kill("SIGKILL"), 5_000);
      await this.done;
      clearTimeout(timer);
    }
  }
}
