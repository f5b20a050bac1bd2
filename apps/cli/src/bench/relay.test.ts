import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "../chat/endpoint.ts";
import { openRelay } from "./relay.ts";

test("the relay passes on what has its key, and nothing of other callers", async (t) => {
  const passed: string[] = [];
  const endpoint: Endpoint = {
    address: "https://cluster",
    model: "chat",
    async post(path) {
      passed.push(path);
      return { status: 200, body: text("{}") };
    },
    close: async () => {},
  };
  const relay = await openRelay(endpoint);
  t.after(() => relay.close());
  const statusWith = async (headers: Record<string, string>, method: string): Promise<number> => {
    const body = method === "POST" ? { body: "{}" } : {};
    return (await fetch(`${relay.url}/v1/completions`, { method, headers, ...body })).status;
  };
  for (const authorization of ["", "Bearer wrong", relay.key])
    for (const method of ["GET", "POST"]) assert.equal(await statusWith({ authorization }, method), 401, authorization);
  assert.deepEqual(passed, []);
  assert.equal(await statusWith({ authorization: `Bearer ${relay.key}` }, "POST"), 200);
  assert.equal(await statusWith({ authorization: `Bearer ${relay.key}` }, "GET"), 200);
  assert.deepEqual(passed, ["/v1/completions"]);
});

async function* text(all: string): AsyncGenerator<string> {
  yield all;
}
