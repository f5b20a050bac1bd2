import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiRequest, Transport } from "@trivium/kube";
import { deployment, fakeRegistry, widget } from "../discovery/resources.fixture.ts";
import { createOpenApi } from "../openapi/index.ts";
import { swaggerAccept, swaggerMedia } from "./protobuf/swagger.ts";
import { binarySwagger, wantsBinarySwagger } from "./swagger-answer.ts";

test("kubectl gets the binary document once, and again after a definition changed", async () => {
  const registry = fakeRegistry(deployment);
  const openApi = createOpenApi(registry);
  const written: number[] = [];
  const transport: Transport = async (request) => {
    const answer = openApi(request);
    assert.ok(answer !== undefined);
    written.push(String(answer.body).length);
    return answer;
  };
  const ask = async (tag?: string) => {
    const headers = { accept: swaggerAccept, ...(tag === undefined ? {} : { "if-none-match": tag }) };
    const request: ApiRequest = { method: "GET", path: "/openapi/v2?timeout=32s", headers };
    assert.ok(wantsBinarySwagger(request));
    return await binarySwagger(request, transport);
  };
  const first = await ask();
  const tag = String(first.headers.etag);
  assert.match(tag, /^"[0-9A-F]{128}-protobuf"$/);
  assert.deepEqual([first.status, first.headers["content-type"]], [200, swaggerMedia]);
  assert.deepEqual(await ask(tag), { status: 304, headers: { etag: tag, vary: "Accept" }, body: "" });
  assert.equal(written.at(-1), 0);
  // The tag of JSON is that of other bytes.
  assert.equal((await ask(tag.replace("-protobuf", ""))).status, 200);
  registry.resources.push(widget);
  registry.revision++;
  const changed = await ask(tag);
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.etag, tag);
});
