/** Ranking as llama-server does it: the same model, the same requests, the same order and scores. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ownCommand } from "../src/index.ts";
import { rankingModel } from "./support/ranking-model.ts";
import { realServer, startServer, type TestServer } from "./support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "ranking-"));
const model = join(folder, "ranking.gguf");
writeFileSync(model, rankingModel());
after(() => rmSync(folder, { recursive: true, force: true }));

const { command: realCommand, skip } = await realServer();
const query = "what is a panda?";
const documents = ["hi", "it is a bear", "the giant panda is a bear of china.", "a panda", "hi"];
const args = ["-np", "2", "-c", "128", "-a", "ranking", "--embeddings", "--pooling", "rank"];

describe("ranking", () => {
  let ours: TestServer;
  before(async () => {
    ours = await startServer({ command: ownCommand(), args, model });
  });
  after(() => ours?.[Symbol.asyncDispose]());

  it("lists the best documents first", async () => {
    const { status, json } = await ours.post("/v1/rerank", { query, documents });
    assert.equal(status, 200, JSON.stringify(json));
    const scores = json.results.map(({ relevance_score }: { relevance_score: number }) => relevance_score);
    assert.equal(scores.length, documents.length);
    assert.deepEqual(
      scores,
      [...scores].sort((a, b) => b - a),
    );
    assert.ok(new Set(scores).size > 2, `the scores differ: ${scores}`);
    const byIndex = new Map(json.results.map((one: { index: number; relevance_score: number }) => [one.index, one]));
    assert.equal(
      (byIndex.get(0) as { relevance_score: number }).relevance_score,
      (byIndex.get(4) as { relevance_score: number }).relevance_score,
      "the same document has the same score",
    );
  });

  it("takes --reranking for the same", async () => {
    await using server = await startServer({
      command: ownCommand(),
      args: ["-c", "128", "-a", "ranking", "--reranking"],
      model,
    });
    const [a, b] = await Promise.all([ours, server].map((one) => one.post("/v1/rerank", { query, documents })));
    assert.deepEqual(a?.json.results, b?.json.results);
  });

  describe("compared with llama-server", { skip: skip ?? false }, () => {
    let real: TestServer;
    before(async () => {
      real = await startServer({ command: realCommand!, args, model });
    });
    after(() => real?.[Symbol.asyncDispose]());

    // Of two with the same score either may come first.
    const distinct = documents.slice(0, 4);
    const requests: readonly (readonly [what: string, path: string, body: object])[] = [
      ["all documents", "/v1/rerank", { query, documents: distinct }],
      ["the best two", "/rerank", { query, documents: distinct, top_n: 2 }],
      ["as other clients ask", "/v1/rerank", { query, texts: distinct, return_text: true }],
      ["one document", "/reranking", { query: "x", documents: ["y"] }],
    ];
    for (const [what, path, body] of requests)
      it(`answers the same: ${what}`, async () => {
        const [mine, theirs] = await Promise.all([ours, real].map((server) => server.post(path, body)));
        assert.equal(mine!.status, theirs!.status, theirs!.text);
        assertAlike(mine!.json, theirs!.json);
      });

    it("refuses the same", async () => {
      for (const body of [
        { documents },
        { query },
        { query, documents: [] },
        { query, documents: "x" },
        { query: 1 },
      ]) {
        const [mine, theirs] = await Promise.all([ours, real].map((server) => server.post("/v1/rerank", body)));
        assert.equal(mine!.status, theirs!.status, `${JSON.stringify(body)}: ${theirs!.text}`);
      }
    });
  });
});

/** Numbers within a thousandth, the rest equal. */
function assertAlike(mine: unknown, theirs: unknown, at = "answer"): void {
  if (typeof theirs === "number") {
    assert.ok(typeof mine === "number" && Math.abs(mine - theirs) < 1e-3, `${at}: ${mine} is not ${theirs}`);
    return;
  }
  if (typeof theirs !== "object" || theirs === null) {
    assert.equal(mine, theirs, at);
    return;
  }
  assert.deepEqual(Object.keys(mine as object).sort(), Object.keys(theirs).sort(), at);
  for (const [key, value] of Object.entries(theirs))
    assertAlike((mine as Record<string, unknown>)[key], value, `${at}.${key}`);
}
