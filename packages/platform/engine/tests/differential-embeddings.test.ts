/** The same texts and tokens to the engine and to a real llama-server: the same vectors, for every pooling. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ownCommand } from "../src/index.ts";
import { realServer, startServer, type TestServer } from "./support/server.ts";

const { command, skip } = await realServer();
/** Two builds of llama.cpp add up in another order. */
const closeness = 0.999;

type Row = readonly [what: string, path: string, body: object];

const rows: readonly Row[] = [
  ["a text", "/v1/embeddings", { input: "Hello" }],
  ["several texts", "/v1/embeddings", { input: ["Hello", "a longer text with more words", "wörld <s>"] }],
  ["tokens", "/v1/embeddings", { input: [1, 1284, 434] }],
  ["lists of tokens", "/v1/embeddings", { input: [[1, 1284], [434]] }],
  ["texts and tokens", "/v1/embeddings", { input: ["Hello", [1, 1284]] }],
  ["base64", "/v1/embeddings", { input: "Hello", encoding_format: "base64" }],
  ["a text as long as the context allows", "/v1/embeddings", { input: "hello ".repeat(150) }],
  ["llama-server's own form", "/embedding", { content: "Hello" }],
  ["several in its own form", "/embedding", { content: ["Hello", "world"] }],
  ["no normalization", "/embedding", { content: "Hello", embd_normalize: -1 }],
  ["another normalization", "/embedding", { content: "Hello", embd_normalize: 1 }],
  ["an input that is missing", "/v1/embeddings", {}],
  ["an input that is empty", "/v1/embeddings", { input: [] }],
  ["an unknown form", "/v1/embeddings", { input: "Hello", encoding_format: "hex" }],
  ["a text that is too long", "/v1/embeddings", { input: "hello ".repeat(600) }],
];

for (const pooling of ["mean", "cls", "last", "none"])
  describe(`embeddings compared with llama-server, pooling ${pooling}`, { skip: skip ?? false }, () => {
    let both: readonly TestServer[];
    // The vector of the last token is computed in pieces.
    const pieces = pooling === "last" ? ["-ub", "128"] : [];
    before(async () => {
      const args = ["-np", "1", "-c", "512", "--embeddings", "--pooling", pooling, "-a", "demo", ...pieces];
      both = await Promise.all([ownCommand(), command!].map((one) => startServer({ command: one, args })));
    });
    after(() => Promise.all(both.map((server) => server[Symbol.asyncDispose]())));

    for (const [what, path, body] of rows)
      it(`answers the same: ${what}`, async () => {
        const [mine, theirs] = await Promise.all(both.map((server) => server.post(path, body)));
        assert.equal(mine!.status, theirs!.status, `${mine!.text} | ${theirs!.text}`);
        if (mine!.status !== 200) return assert.equal(mine!.json.error.type, theirs!.json.error.type);
        assert.deepEqual(shapeOf(mine!.json), shapeOf(theirs!.json));
        const [ours, real] = [vectorsOf(mine!.json), vectorsOf(theirs!.json)];
        assert.equal(ours.length, real.length);
        for (const [at, vector] of ours.entries()) assertAlike(vector, real[at]!);
      });
  });

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** All but the vectors. */
function shapeOf(answer: Json): Json {
  if (Array.isArray(answer)) return answer.map(shapeOf);
  if (typeof answer !== "object" || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, name === "embedding" ? typeof value : shapeOf(value)]),
  );
}

/** In the order of the answer; those of single tokens one by one. */
function vectorsOf(answer: Json): number[][] {
  if (typeof answer !== "object" || answer === null) return [];
  if (Array.isArray(answer)) return answer.flatMap(vectorsOf);
  return Object.entries(answer).flatMap(([name, value]) =>
    name === "embedding" ? vectorsIn(value) : vectorsOf(value),
  );
}

function vectorsIn(value: Json): number[][] {
  if (typeof value === "string") {
    const bytes = Buffer.from(value, "base64");
    return [Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))];
  }
  const list = value as number[] | number[][];
  return Array.isArray(list[0]) ? (list as number[][]) : [list as number[]];
}

/** The same direction and the same length. */
function assertAlike(mine: readonly number[], theirs: readonly number[]): void {
  assert.equal(mine.length, theirs.length);
  const dot = mine.reduce((sum, value, at) => sum + value * theirs[at]!, 0);
  const [a, b] = [Math.hypot(...mine), Math.hypot(...theirs)];
  assert.ok(dot / (a * b) > closeness, `cosine ${dot / (a * b)}`);
  assert.ok(Math.abs(a / b - 1) < 0.01, `length ${a} instead of ${b}`);
}
