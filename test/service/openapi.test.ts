import assert from "node:assert/strict";
import { test } from "node:test";
import { openService } from "../support/service.ts";

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: string[];
  readonly responses: Record<string, { description?: string; content?: object }>;
  readonly requestBody?: { content: object };
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

const ROUTES = [
  "GET /livez",
  "GET /readyz",
  "GET /v1/environments",
  "POST /v1/environments",
  "DELETE /v1/environments/{id}",
  "GET /v1/environments/{id}",
  "GET /v1/environments/{id}/archive",
  "PUT /v1/environments/{id}/archive",
  "POST /v1/environments/{id}/apply_patch",
  "POST /v1/environments/{id}/apply_patch/preview",
  "POST /v1/apply_patch",
  "POST /v1/environments/{id}/exec_command",
  "GET /v1/environments/{id}/processes",
  "POST /v1/environments/{id}/processes",
  "GET /v1/environments/{id}/processes/{process_id}",
  "GET /v1/environments/{id}/processes/{process_id}/output",
  "POST /v1/environments/{id}/processes/{process_id}/resize",
  "POST /v1/environments/{id}/processes/{process_id}/signal",
  "POST /v1/environments/{id}/processes/{process_id}/stdin",
  "POST /v1/environments/{id}/processes/{process_id}/terminate",
  "POST /v1/environments/{id}/write_stdin",
];

test("the document lists every route, each with a name, a summary and its problems", async (t) => {
  const { send } = await openService(t);
  const { body } = await send({ method: "GET", url: "/openapi.json" });
  const { paths } = body as unknown as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  assert.deepEqual(operations.map(({ route }) => route).sort(), [...ROUTES].sort());
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ROUTES.length);
  for (const { route, operation } of operations) {
    assert.ok(operation.summary, `${route} has no summary`);
    assert.equal(operation.tags?.length, 1, `${route} has no tag`);
    const { "4XX": refused, "5XX": failed } = operation.responses;
    assert.ok(refused?.content && failed?.content, `${route} does not document its problems`);
    const answers = Object.keys(operation.responses).filter((status) => status.startsWith("2"));
    assert.ok(answers.length > 0, `${route} does not document its answer`);
  }
});

test("every schema that the document names is in it, and the shapes of the wire are", async (t) => {
  const { send } = await openService(t);
  const { text, body } = await send({ method: "GET", url: "/openapi.json" });
  const { schemas } = (body as unknown as Document).components;
  const named = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  assert.deepEqual(
    named.filter((name) => name === undefined || !(name in schemas)),
    [],
  );
  for (const name of [
    "CreateEnvironmentInput",
    "Environment",
    "Process",
    "OutputLine",
    "Problem",
  ]) {
    assert.ok(named.includes(name), `${name} is not referred to`);
  }
});

test("what a body may be is documented for every route that takes one", async (t) => {
  const { send } = await openService(t);
  const { body } = await send({ method: "GET", url: "/openapi.json" });
  const { paths } = body as unknown as Document;
  for (const [path, { post }] of Object.entries(paths)) {
    if (post) assert.ok(post.requestBody, `POST ${path} does not document its body`);
  }
});
