/** Files over which llama.cpp ends its process: the engine refuses them in one line, with exit code 1. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { outcomeOf } from "../src/model/model-trial.ts";
import { demoModel, runToEnd } from "./support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "broken-models-"));
after(() => rmSync(folder, { recursive: true, force: true }));

type Damage = (bytes: Buffer) => void;

/** Where the value of a field begins: after the name of the field and the type. */
const placeOfValue = (bytes: Buffer, key: string): number => bytes.indexOf(key) + key.length + 4;

/** Makes one token the same as another of its length. */
const repeatToken: Damage = (bytes) => {
  let at = placeOfValue(bytes, "tokenizer.ggml.tokens") + 12;
  const places = new Map<number, number>();
  for (;;) {
    const length = Number(bytes.readBigUInt64LE(at));
    const before = places.get(length);
    if (length > 3 && before !== undefined) {
      bytes.copy(bytes, at + 8, before, before + length);
      return;
    }
    places.set(length, at + 8);
    at += 8 + length;
  }
};

const damages: readonly (readonly [what: string, damage: Damage, cause: RegExp])[] = [
  ["a token twice", repeatToken, /token_to_id/],
  ["too many layers", (bytes) => bytes.writeUInt32LE(65_535, placeOfValue(bytes, "llama.block_count")), /n_layer/],
  [
    "a norm that is no number",
    (bytes) => bytes.writeFloatLE(Number.NaN, placeOfValue(bytes, "llama.attention.layer_norm_rms_epsilon")),
    /eps/,
  ],
];

describe("a model file that breaks an assertion of llama.cpp", () => {
  for (const [what, damage, cause] of damages)
    it(`is refused: ${what}`, async () => {
      const path = join(folder, "broken.gguf");
      const bytes = readFileSync(demoModel);
      damage(bytes);
      writeFileSync(path, bytes);
      const { code, lines } = await runToEnd(["-m", path, "--port", "0"]);
      assert.equal(code, 1, lines.join("\n"));
      const last = lines.at(-1) ?? "";
      assert.match(last, /^E cannot load model .*broken\.gguf: llama\.cpp stops while reading it \(GGML_ASSERT/);
      assert.match(last, cause);
      assert.match(last, /the file is damaged or was converted incorrectly: download it again, or convert it again$/);
    });
});

describe("the outcome of a trial", () => {
  const run = { output: "\nstart\n", errors: "", signal: null };
  it("blames the model only for a crash that native code does not explain", () => {
    assert.deepEqual(outcomeOf({ ...run, output: "", signal: "SIGABRT" }), { is: "usable" });
    assert.deepEqual(outcomeOf(run), { is: "usable" });
    assert.deepEqual(outcomeOf({ ...run, signal: "SIGKILL" }), { is: "usable" });
    const errors = "llama_model_load: error loading model: unknown model architecture: 'x'\n";
    assert.deepEqual(outcomeOf({ ...run, errors, signal: "SIGSEGV" }), { is: "usable" });
    const assertion = "/build/llama-vocab.cpp:12: GGML_ASSERT(a == b) failed\n";
    assert.deepEqual(outcomeOf({ ...run, errors: assertion, signal: "SIGABRT" }), {
      is: "bad-model",
      why: "GGML_ASSERT(a == b) failed",
    });
    assert.deepEqual(outcomeOf({ ...run, signal: "SIGFPE" }), { is: "bad-model", why: undefined });
  });

  it("blames the template once the model is read", () => {
    const output = "\nstart\n\nmodel\n";
    assert.deepEqual(outcomeOf({ ...run, output, signal: "SIGABRT" }), { is: "bad-template" });
    assert.deepEqual(outcomeOf({ ...run, output: `${output}\ntemplate\n`, signal: "SIGKILL" }), { is: "usable" });
    const fails = `${output}\ntemplate\n\nfails "no user"\n`;
    assert.deepEqual(outcomeOf({ ...run, output: fails, signal: "SIGKILL" }), { is: "doubtful", why: "no user" });
  });
});
