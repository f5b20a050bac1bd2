/** Speculative decoding: the same answers as without it, of tokens that were guessed and checked together. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { rankingModel } from "./support/ranking-model.ts";
import { demoModel, runToEnd, startServer, type TestServer } from "./support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "speculation-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The model is sure of its answer, so that sums in another order do not change it. */
const question = "User: What is Trivium?\nAssistant:";
const refrain = "The fox ran over the hill and the owl sat in the tree. ".repeat(3);
/** An answer that repeats itself, so that it can be guessed from what stands before. */
const repeated = { grammar: 'root ::= ("The fox ran over the hill. ") {4} "End"' };
const flags = ["-np", "2", "-c", "512"];

const guessers: readonly (readonly [what: string, flags: readonly string[], body: object])[] = [
  ["a draft model", ["--model-draft", demoModel, "--draft-p-min", "0"], { prompt: question }],
  ["the text so far", ["--spec-type", "ngram-simple"], { prompt: refrain, ...repeated }],
];

for (const [what, more, answer] of guessers)
  describe(`with guesses of ${what}`, () => {
    let plain: TestServer;
    let guessing: TestServer;
    before(async () => {
      [plain, guessing] = await Promise.all([startServer({ args: flags }), startServer({ args: [...flags, ...more] })]);
    });
    after(() => Promise.all([plain, guessing].map((server) => server?.[Symbol.asyncDispose]())));

    const bothOf = async (body: object): Promise<[mine: Completion, expected: Completion]> => {
      const [mine, expected] = await Promise.all([guessing, plain].map((server) => server.post("/completion", body)));
      assert.deepEqual([mine!.status, expected!.status], [200, 200], mine!.text);
      return [mine!.json, expected!.json];
    };

    it("answers the same, and guesses right", async () => {
      const [mine, expected] = await bothOf({ n_predict: 150, temperature: 0, ...answer });
      assert.deepEqual(
        [mine.content, mine.tokens_predicted, mine.stop_type],
        [expected.content, expected.tokens_predicted, expected.stop_type],
      );
      const { draft_n = 0, draft_n_accepted = 0 } = mine.timings;
      assert.ok(draft_n_accepted > 0 && draft_n_accepted <= draft_n, JSON.stringify(mine.timings));
      assert.equal(expected.timings.draft_n, undefined);
    });

    it("ends at the limit, at a stop word, at the end of the context and at the end of the text", async () => {
      for (const n_predict of [1, 2, 7])
        assert.equal((await bothOf({ prompt: refrain, n_predict, temperature: 0 }))[0].tokens_predicted, n_predict);
      const [stopped] = await bothOf({ prompt: question, n_predict: 40, temperature: 0, stop: ["roads"] });
      assert.deepEqual([stopped.content, stopped.stop_type], [" Trivium is where three ", "word"]);
      const [full] = await bothOf({ prompt: refrain, n_predict: -1, temperature: 0, ignore_eos: true });
      assert.ok(Math.abs(full.tokens_predicted + full.tokens_evaluated - 256) <= 2, `${full.tokens_predicted}`);
      const [ended, expected] = await bothOf({ prompt: question, n_predict: 200, temperature: 0 });
      assert.deepEqual([ended.content, ended.stop_type], [expected.content, "eos"]);
    });

    it("keeps to a grammar and to a seed", async () => {
      const grammar = 'root ::= ("the fox " [a-c]{2} ", "){3} "end"';
      const [bound] = await bothOf({ prompt: refrain, grammar, n_predict: 200, temperature: 0 });
      assert.match(bound.content, /^(the fox [a-c]{2}, ){3}end$/);
      const seeded = { prompt: refrain, n_predict: 40, temperature: 0.9, seed: 5, cache_prompt: false };
      const [first] = await bothOf(seeded);
      const [second] = await bothOf(seeded);
      assert.equal(first.content, second.content);
    });

    it("serves several at once, and goes on in their caches", async () => {
      // One more than there are slots.
      const prompts = [refrain, "Once upon a time", `${refrain}An owl `];
      const grammar = 'root ::= ("The fox ran over the hill. ") {2} "End"';
      for (let round = 0; round < 2; round++) {
        const bodies = prompts.map((prompt) => ({ prompt, n_predict: 150, temperature: 0, grammar }));
        const answers = await Promise.all(bodies.map((body) => guessing.post("/completion", body)));
        for (const { json } of answers) assert.equal(json.content, `${"The fox ran over the hill. ".repeat(2)}End`);
      }
    });

    it("shows it in its slots", async () => {
      const slots = (await guessing.get("/slots")).json as { speculative: boolean }[];
      assert.deepEqual(
        slots.map(({ speculative }) => speculative),
        [true, true],
      );
    });
  });

describe("a draft that cannot be used", () => {
  const run = (...more: string[]): ReturnType<typeof runToEnd> =>
    runToEnd(["-m", demoModel, "--port", "0", "-t", "1", "-c", "512", ...more]);

  it("of another vocabulary: the last line says so, with the remedy", async () => {
    const path = join(folder, "other.gguf");
    writeFileSync(path, rankingModel());
    const { code, lines } = await run("-md", path);
    assert.equal(code, 1);
    assert.match(
      lines.at(-1)!,
      /^E draft model .*other\.gguf does not match the served model .*use one of its family$/,
    );
  });

  it("missing: the last line names the file", async () => {
    const { code, lines } = await run("-md", join(folder, "none.gguf"));
    assert.equal(code, 1);
    assert.match(lines.at(-1)!, /^E cannot load model .*none\.gguf: file not found$/);
  });
});

interface Completion {
  readonly content: string;
  readonly stop_type: string;
  readonly tokens_predicted: number;
  readonly tokens_evaluated: number;
  readonly timings: { readonly draft_n?: number; readonly draft_n_accepted?: number };
}
