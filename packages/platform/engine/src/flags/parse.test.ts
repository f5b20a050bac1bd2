import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FlagError, parseFlags } from "./parse.ts";
import { settingsOf } from "./settings.ts";

const read = (args: string, env: Record<string, string> = {}) => settingsOf(parseFlags(args.split(" "), env));
const refusal = (args: string, env: Record<string, string> = {}): string => {
  try {
    read(args, env);
  } catch (error) {
    if (error instanceof FlagError) return error.message;
    throw error;
  }
  return assert.fail("nothing was refused");
};

describe("flags", () => {
  it("are those of llama-server, short and long, with its defaults", () => {
    const { model, server, sampling, chat } = read("-m x.gguf");
    assert.equal(model.path, "x.gguf");
    assert.deepEqual([model.contextSize, model.slots, model.batch, model.ubatch], [0, undefined, 2048, undefined]);
    assert.deepEqual([server.host, server.port, server.hasSlots, server.hasMetrics], ["127.0.0.1", 8080, true, false]);
    assert.deepEqual([sampling.temperature, sampling.top_k, sampling.top_p, sampling.min_p], [0.8, 40, 0.95, 0.05]);
    assert.deepEqual([chat.useJinja, chat.reasoningFormat], [true, "auto"]);
    const long = read(
      "--model y --ctx-size 4096 --parallel 2 --n-gpu-layers all --no-mmap --mlock --no-slots --temp 0",
    );
    assert.deepEqual([long.model.contextSize, long.model.slots, long.sampling.temperature], [4096, 2, 0]);
    const { n_gpu_layers, use_mmap, use_mlock } = long.model.native;
    assert.deepEqual({ n_gpu_layers, use_mmap, use_mlock }, { n_gpu_layers: 9999, use_mmap: false, use_mlock: true });
    assert.equal(long.server.hasSlots, false);
  });

  it("may be written with underscores, and flash attention without a value", () => {
    assert.equal(read("-m x --ctx_size 8").model.contextSize, 8);
    assert.equal(read("-m x -fa --metrics").model.native.flash_attn_type, "on");
    assert.equal(read("-m x -fa off").model.native.flash_attn_type, "off");
    assert.equal(read("-m x --seed -1").sampling.seed, -1);
  });

  it("come from the environment unless they are on the command line", () => {
    const env = {
      LLAMA_ARG_MODEL: "env.gguf",
      LLAMA_ARG_CTX_SIZE: "77",
      LLAMA_API_KEY: "a,b",
      LLAMA_ARG_NO_MMAP: "1",
      LLAMA_ARG_JINJA: "off",
    };
    const { model, server, chat } = read("-c 5", env);
    assert.deepEqual([model.path, model.contextSize, chat.useJinja], ["env.gguf", 5, false]);
    assert.deepEqual(server.apiKeys, ["a", "b"]);
    assert.equal(model.native.use_mmap, false);
  });

  it("of adapters add up", () => {
    const { lora_list } = read("-m x --lora a,b --lora c --lora-scaled d:0.5").model.native;
    assert.deepEqual(lora_list, [
      { path: "a", scaled: 1 },
      { path: "b", scaled: 1 },
      { path: "c", scaled: 1 },
      { path: "d", scaled: 0.5 },
    ]);
  });

  const refused: [args: string, message: RegExp, env?: Record<string, string>][] = [
    ["-m x --prot 1", /^invalid argument: --prot \(did you mean --port\?\)$/],
    ["-m x --paralel 1", /did you mean --parallel\?/],
    ["-m x zzzzzzzz", /^invalid argument: zzzzzzzz$/],
    ["-m x --port=80", /^invalid argument: --port=80/],
    ["-m x -c", /^expected value for argument: -c$/],
    ["-m x -c abc", /^-c needs a whole number, got "abc"$/],
    ["-m x --temp warm", /^--temp needs a number/],
    ["-m x -np 0", /^--parallel must be at least 1/],
    ["-m x --port 99999", /^--port needs a number up to 65535/],
    ["-m x -ctk q9_9", /^-ctk needs one of f32, f16/],
    ["-m x --lora-scaled d", /needs FILE:SCALE/],
    ["-m x --ssl-key-file k", /^--ssl-key-file is not supported by this engine/],
    ["-m x --hf-repo a/b", /^--hf-repo is not supported .*pass --model$/],
    ["-m x --chat-template-file /nope/x", /cannot read \/nope\/x: ENOENT/],
    ["-m x --chat-template-kwargs 5", /needs a JSON object/],
    ["--metrics", /^no model: pass -m FILE/],
    ["-m x", /^LLAMA_ARG_PORT needs a whole number/, { LLAMA_ARG_PORT: "http" }],
  ];
  for (const [args, message, env] of refused)
    it(`refuse ${args}${env === undefined ? "" : " with a wrong variable"}`, () =>
      assert.match(refusal(args, env), message));

  it("that do nothing here are named", () => {
    const { warnings } = parseFlags(["-m", "x", "-ts", "1,2", "--split-mode", "row", "--no-webui"], {});
    assert.deepEqual(
      warnings,
      ["--tensor-split", "--split-mode", "--ui"].map((name) => `${name} has no effect on this engine`),
    );
  });
});
