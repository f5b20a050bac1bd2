import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatArgument } from "../serving/engine-argument.ts";
import { type PromptCacheEngine, parsePromptCache, planPromptCache } from "./prompt-cache.ts";

describe("the prompt cache of a service", () => {
  const good: readonly [string, object][] = [
    ["none", { is: "none" }],
    ["local", { is: "local" }],
    ["prompts", { is: "shared", service: "prompts", port: 6379 }],
    ["prompts:7000", { is: "shared", service: "prompts", port: 7000 }],
  ];
  for (const [text, expected] of good) test(text, () => assert.deepEqual(parsePromptCache(text), expected));

  const wrong = [
    "",
    "None",
    "../x",
    "a.b",
    "redis://prompts:6379",
    "user:secret@prompts",
    "prompts:0",
    "prompts:65536",
    "prompts:6379:1",
    "prompts:",
    "-a",
    `a${"b".repeat(63)}`,
    "prompts --api-key x",
  ];
  for (const text of wrong) test(`"${text}" is not valid`, () => assert.equal(parsePromptCache(text), undefined));

  const argsOf = (text: string, engine: PromptCacheEngine | undefined) => {
    const cache = parsePromptCache(text);
    assert.ok(cache);
    return planPromptCache(cache, { engine, namespace: "team-a" });
  };

  test("every engine can switch its cache on and off", () => {
    const rows: readonly [PromptCacheEngine, string, readonly string[]][] = [
      ["vllm", "none", ["--no-enable-prefix-caching"]],
      ["vllm", "local", ["--enable-prefix-caching"]],
      ["sglang", "none", ["--disable-radix-cache"]],
      ["sglang", "local", []],
      ["llama.cpp", "none", ["--no-cache-prompt"]],
      ["llama.cpp", "local", ["--cache-prompt"]],
    ];
    for (const [engine, text, args] of rows) {
      const plan = argsOf(text, engine);
      assert.ok(plan.is === "planned");
      assert.deepEqual([plan.args.flatMap(formatArgument), plan.env], [args, []], `${engine} ${text}`);
    }
  });

  test("replicas share a Redis by the address of its Service", () => {
    for (const engine of ["vllm", "sglang"] as const) {
      const plan = argsOf("prompts", engine);
      assert.equal(plan.is, "planned");
      const url = plan.is === "planned" ? plan.env.find(({ name }) => name === "LMCACHE_REMOTE_URL")?.value : undefined;
      assert.equal(url, "redis://prompts.team-a.svc.cluster.local:6379");
    }
  });

  test("an engine that cannot do it is named, with what to do", () => {
    const shared = argsOf("prompts", "llama.cpp");
    assert.match(shared.is === "unsupported" ? shared.why : "", /llama\.cpp cannot share its cache; set it to local/);
    const unknown = argsOf("local", undefined);
    assert.match(unknown.is === "unsupported" ? unknown.why : "", /only vLLM, SGLang and llama\.cpp/);
  });
});
