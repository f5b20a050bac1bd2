import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { configMap, configMaps, wholeServer } from "./whole-server.ts";

const { ask, post } = wholeServer();

/** As kubectl reads them: the bytes of a header are UTF-8. */
const asUtf8 = (header: string | undefined): string => Buffer.from(header ?? "", "latin1").toString("utf8");

describe("warnings that quote what a user wrote", () => {
  it("in any script, and the object is stored and shown", async () => {
    const answer = await post(configMaps, configMap("scripts", { größe: 1, 模型: 2, "🚀": 3 }));
    assert.equal(answer.status, 201, answer.body);
    assert.equal(
      asUtf8(answer.headers.warning),
      '299 - "unknown field \\"größe\\"", 299 - "unknown field \\"模型\\"", 299 - "unknown field \\"🚀\\""',
    );
  });

  it("with line ends and half a pair of surrogates", async () => {
    const body =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"lines"},"a\\r\\nset-cookie: x":1,"\\ud83d":2}';
    const answer = await post(configMaps, body);
    assert.equal(answer.status, 201, answer.body);
    assert.equal(answer.headers["set-cookie"], undefined);
    assert.match(asUtf8(answer.headers.warning), /unknown field \\"a {2}set-cookie: x\\"/);
  });

  it("of great length or number are cut, and the answer stays readable", async () => {
    const long = await post(configMaps, configMap("long", { ["x".repeat(10_000)]: 1, short: 2 }));
    assert.equal(long.status, 201, long.body.slice(0, 300));
    assert.equal(asUtf8(long.headers.warning).length < 4096, true);
    assert.match(asUtf8(long.headers.warning), /unknown field \\"short\\"/);
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`unknownField${at}`, at]));
    const answer = await post(configMaps, configMap("many", many));
    assert.equal(answer.status, 201);
    assert.equal(asUtf8(answer.headers.warning).length < 8192, true);
  });

  it("of a refusal, too", async () => {
    const answer = await post(`${configMaps}?fieldValidation=Strict`, configMap("strict", { größe: 1 }));
    assert.equal(answer.status, 400);
    assert.match(JSON.parse(answer.body).message, /strict decoding error: unknown field "größe"/);
    assert.equal((await ask(`${configMaps}/strict`)).status, 404);
  });
});
