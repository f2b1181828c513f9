// A scripted stand-in for the OpenAI Responses API.
//
// It answers `POST <any prefix>/responses` with a server-sent-event stream which
// plays the next step of a script, and it keeps every request it was sent so a
// test can look at the tools that were offered and the tool outputs that came
// back. It needs nothing but Node 18 or newer.
//
// As a module:
//
//   import { startMockModel, call, patch, say } from './mock-model.mjs';
//   const model = await startMockModel({ steps: [
//     [call('c1', 'exec_command', { cmd: 'pwd' })],
//     (turn) => [call('c2', 'write_stdin', { session_id: turn.sessionOf('c1'), chars: 'x\n' })],
//     [say('done')],
//   ]});
//   model.baseUrl   // http://127.0.0.1:<port>/v1
//   model.requests  // every parsed request body
//   await model.close();
//
// As a program, with the script in a JSON file (a list of steps, each a list of
// items in the shape made by call/patch/say below; the text "{{session:CALL_ID}}"
// is replaced by the process session id reported by that call's output):
//
//   node mock-model.mjs --port 42100 --script script.json --log requests.jsonl

import fs from "node:fs";
import http from "node:http";
import { pathToFileURL } from "node:url";
import zlib from "node:zlib";

// ---------------------------------------------------------------- items

/** A JSON-argument tool call (exec_command, write_stdin, ...). */
export const call = (id, name, args) => ({ kind: "function", id, name, args });

/** A free-text tool call; the only one in use here is apply_patch. */
export const custom = (id, name, text) => ({ kind: "custom", id, name, text });

/** A patch: the body lines between the begin and end markers. */
export const patch = (id, lines, environmentId) =>
  custom(
    id,
    "apply_patch",
    [
      "*** Begin Patch",
      ...(environmentId ? [`*** Environment ID: ${environmentId}`] : []),
      ...lines,
      "*** End Patch",
      "",
    ].join("\n"),
  );

/** A final assistant message. */
export const say = (text) => ({ kind: "message", text });

function toOutputItem(item, seq) {
  switch (item.kind) {
    case "function":
      return {
        type: "function_call",
        id: `fc_${seq}`,
        call_id: item.id,
        name: item.name,
        arguments: typeof item.args === "string" ? item.args : JSON.stringify(item.args),
      };
    case "custom":
      return {
        type: "custom_tool_call",
        id: `ctc_${seq}`,
        call_id: item.id,
        name: item.name,
        input: item.text,
      };
    case "message":
      return {
        type: "message",
        id: `msg_${seq}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: item.text, annotations: [] }],
      };
    default:
      return item; // already a raw Responses item
  }
}

// ---------------------------------------------------------------- requests

const OUTPUT_TYPES = new Set(["function_call_output", "custom_tool_call_output"]);

/** Tool output as plain text, whichever of the two encodings the client used. */
export function outputText(item) {
  const out = item?.output;
  if (out == null) return "";
  if (typeof out === "string") return out;
  if (Array.isArray(out)) return out.map((part) => part.text ?? JSON.stringify(part)).join("");
  if (typeof out.content === "string") return out.content;
  return JSON.stringify(out);
}

/** call id -> output text, for all tool outputs carried by one request body. */
export function toolOutputs(body) {
  const found = new Map();
  for (const item of body.input ?? []) {
    if (OUTPUT_TYPES.has(item.type)) found.set(item.call_id, outputText(item));
  }
  return found;
}

/** The session number in an exec_command / write_stdin output, or null. */
export function sessionIn(text) {
  const hit = /session ID (\d+)/i.exec(text ?? "");
  return hit ? Number(hit[1]) : null;
}

class Turn {
  constructor(body, all) {
    this.body = body;
    this.outputs = all;
  }
  output(id) {
    return this.outputs.get(id) ?? "";
  }
  sessionOf(id) {
    return sessionIn(this.output(id));
  }
}

function fillTemplates(value, turn) {
  if (typeof value === "string") {
    const whole = /^\{\{session:([^}]+)\}\}$/.exec(value);
    if (whole) return turn.sessionOf(whole[1]);
    return value.replace(/\{\{session:([^}]+)\}\}/g, (_, id) => String(turn.sessionOf(id)));
  }
  if (Array.isArray(value)) return value.map((v) => fillTemplates(v, turn));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, fillTemplates(v, turn)]));
  }
  return value;
}

async function readBody(req) {
  const parts = [];
  for await (const part of req) parts.push(part);
  let raw = Buffer.concat(parts);
  const coding = String(req.headers["content-encoding"] ?? "").toLowerCase();
  if (coding === "gzip") raw = zlib.gunzipSync(raw);
  else if (coding === "deflate") raw = zlib.inflateSync(raw);
  else if (coding === "br") raw = zlib.brotliDecompressSync(raw);
  else if (coding === "zstd") {
    if (!zlib.zstdDecompressSync) throw new Error("request is zstd; this Node cannot read it");
    raw = zlib.zstdDecompressSync(raw);
  }
  return raw.toString("utf8");
}

// ---------------------------------------------------------------- server

/**
 * Starts the server.
 *   steps      list of steps; a step is a list of items or a function (turn) => items
 *   port       0 picks a free port
 *   onRequest  called with ({ index, body, headers }) before each answer
 *   fallback   items played when the script has run out (default: a short message)
 */
export async function startMockModel({
  steps = [],
  port = 0,
  host = "127.0.0.1",
  onRequest,
  fallback = [say("script finished")],
} = {}) {
  const state = {
    steps: [...steps],
    requests: [],
    headers: [],
    outputs: new Map(),
    other: [],
    seq: 0,
  };

  const server = http.createServer(async (req, res) => {
    try {
      const url = new URL(req.url, "http://localhost");
      const text = await readBody(req);
      if (req.method === "POST" && /\/responses$/.test(url.pathname)) {
        answer(JSON.parse(text), req.headers, res);
        return;
      }
      state.other.push({ method: req.method, path: url.pathname });
      if (req.method === "GET" && /\/models$/.test(url.pathname)) {
        res.writeHead(200, { "content-type": "application/json" });
        res.end(JSON.stringify({ object: "list", data: [], models: [] }));
        return;
      }
      res.writeHead(404, { "content-type": "application/json" });
      res.end(JSON.stringify({ error: { message: "not served by the mock" } }));
    } catch (error) {
      res.writeHead(500, { "content-type": "application/json" });
      res.end(JSON.stringify({ error: { message: String(error?.message ?? error) } }));
    }
  });

  function answer(body, headers, res) {
    const index = state.requests.length;
    state.requests.push(body);
    state.headers.push(headers);
    for (const [id, out] of toolOutputs(body)) state.outputs.set(id, out);
    onRequest?.({ index, body, headers });

    const turn = new Turn(body, state.outputs);
    let step = state.steps.length ? state.steps.shift() : fallback;
    if (typeof step === "function") step = step(turn);
    const items = fillTemplates(step, turn);

    res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const responseId = `resp_${index}`;
    const send = (type, fields) => {
      res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
    };
    send("response.created", { response: { id: responseId } });
    items.forEach((item, i) => {
      const out = toOutputItem(item, ++state.seq);
      send("response.output_item.added", {
        output_index: i,
        item: { ...out, status: "in_progress" },
      });
      send("response.output_item.done", { output_index: i, item: out });
    });
    send("response.completed", {
      response: {
        id: responseId,
        usage: {
          input_tokens: 10,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 10,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 20,
        },
      },
    });
    res.end();
  }

  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const actual = server.address().port;

  return {
    port: actual,
    baseUrl: `http://${host}:${actual}/v1`,
    requests: state.requests,
    headers: state.headers,
    otherRequests: state.other,
    outputs: state.outputs,
    /** Steps not yet played. */
    get remaining() {
      return state.steps.length;
    },
    /** Forgets the steps that were not played. */
    drop() {
      state.steps.length = 0;
    },
    /** Appends steps, for the next turn of the same conversation. */
    push(...more) {
      state.steps.push(...more);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections?.();
        server.close(() => resolve());
      }),
  };
}

// ---------------------------------------------------------------- program

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const flags = {};
  for (let i = 2; i < process.argv.length; i += 2)
    flags[process.argv[i].replace(/^--/, "")] = process.argv[i + 1];
  const steps = flags.script ? JSON.parse(fs.readFileSync(flags.script, "utf8")) : [];
  const log = flags.log ? fs.createWriteStream(flags.log, { flags: "a" }) : null;
  const model = await startMockModel({
    steps,
    port: Number(flags.port ?? 0),
    onRequest: ({ index, body }) => {
      log?.write(`${JSON.stringify({ index, body })}\n`);
    },
  });
  process.stdout.write(`${model.baseUrl}\n`);
}
