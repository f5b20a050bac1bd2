import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiRequest, ApiResponse } from "@trivium/kube";
import { tokenBucket, withRateLimit } from "./rate-limit.ts";
import { withRetries } from "./retries.ts";

const answer = (status: number, after?: string): ApiResponse => ({
  status,
  headers: after === undefined ? {} : { "retry-after": after },
  body: "",
});
const request = (method: ApiRequest["method"], type = ""): ApiRequest => ({
  method,
  path: "/x",
  headers: type === "" ? {} : { "content-type": type },
});

async function tries(call: ApiRequest, replies: (ApiResponse | Error)[]): Promise<{ status: number; waits: number[] }> {
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  const transport = withRetries(
    async () => {
      const reply = replies.shift() as ApiResponse | Error;
      if (reply instanceof Error) throw reply;
      return reply;
    },
    { wait, attempts: 3 },
  );
  return { status: (await transport(call)).status, waits };
}

test("429 is repeated after the time the server asks for, whatever the call", async () => {
  const post = await tries(request("POST"), [answer(429, "2"), answer(429, "1"), answer(201)]);
  assert.deepEqual(post, { status: 201, waits: [2_000, 1_000] });
});

test("503 is repeated only where twice means the same as once, and only when asked for", async () => {
  const apply = "application/apply-patch+yaml";
  assert.equal((await tries(request("GET"), [answer(503, "1"), answer(200)])).status, 200);
  assert.equal((await tries(request("PATCH", apply), [answer(503, "1"), answer(200)])).status, 200);
  assert.equal((await tries(request("POST"), [answer(503, "1"), answer(201)])).status, 503);
  assert.equal(
    (await tries(request("PATCH", "application/json-patch+json"), [answer(503, "1"), answer(200)])).status,
    503,
  );
  assert.equal((await tries(request("GET"), [answer(503), answer(200)])).status, 503);
});

test("gives up after the last attempt", async () => {
  const { status, waits } = await tries(request("GET"), [answer(429, "1"), answer(429, "1"), answer(429, "1")]);
  assert.deepEqual([status, waits.length], [429, 2]);
});

test("a read over a connection that just closed is sent once more; a write is not", async () => {
  const broken = () => Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  assert.equal((await tries(request("GET"), [broken(), answer(200)])).status, 200);
  await assert.rejects(tries(request("GET"), [broken(), broken(), answer(200)]), /other side closed/);
  await assert.rejects(tries(request("POST"), [broken(), answer(201)]), /other side closed/);
});

test("whatever was not sent because the connection did not open in time is sent once more", async () => {
  const late = () => Object.assign(new Error("Connect Timeout Error"), { code: "UND_ERR_CONNECT_TIMEOUT" });
  assert.equal((await tries(request("GET"), [late(), answer(200)])).status, 200);
  assert.equal((await tries(request("POST"), [late(), answer(201)])).status, 201);
  await assert.rejects(tries(request("POST"), [late(), late(), answer(201)]), /Connect Timeout/);
});

test("the bucket lets a burst through and then holds the rate", () => {
  const turn = tokenBucket({ qps: 10, burst: 3 });
  assert.deepEqual([turn(0), turn(0), turn(0), turn(0), turn(0)], [0, 0, 0, 100, 200]);
  assert.equal(turn(10_000), 0);
});

test("who gives up while waiting for his turn is not sent", async () => {
  let sent = 0;
  const limited = withRateLimit(
    async () => {
      sent += 1;
      return answer(200);
    },
    { qps: 0.1, burst: 1 },
  );
  await limited(request("GET"));
  const giveUp = new AbortController();
  const waiting = limited({ ...request("GET"), signal: giveUp.signal });
  giveUp.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  assert.equal(sent, 1);
});
