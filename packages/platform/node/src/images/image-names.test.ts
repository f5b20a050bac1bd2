import assert from "node:assert/strict";
import { test } from "node:test";
import { matchesImage } from "./image-pattern.ts";
import { plainWords, scriptOf } from "./shell-words.ts";

const digest = `sha256:${"a".repeat(64)}`;

test("patterns mean images with and without registry, tag and digest", () => {
  for (const [pattern, image, is] of [
    ["redis", "redis", true],
    ["redis", "redis:7", true],
    ["redis", `docker.io/library/redis:7@${digest}`, true],
    ["redis:7*", "redis:7.2.4", true],
    ["redis:7*", "redis:6", false],
    ["redis:latest", "redis", true],
    ["redis", "acme/redis", false],
    ["redis", "redis-tool", false],
    ["*/redis", "quay.io/acme/redis:1", true],
    ["docker.io/library/redis", "redis", true],
    ["docker.io/redis", "docker.io/redis:7", true],
    ["redis", "index.docker.io/library/redis", true],
    ["library/redis", "acme/redis", false],
    ["app", "localhost:5000/app", false],
    ["[::1]:5000/app", "[::1]:5000/app:1", true],
    ["ghcr.io/ggml-org/llama.cpp:*", "ghcr.io/ggml-org/llama.cpp:server-cuda", true],
    ["ghcr.io/ggml-org/llama.cpp:*", `ghcr.io/ggml-org/llama.cpp@${digest}`, false],
    ["ghcr.io/ggml-org/llama.cpp*", `ghcr.io/ggml-org/llama.cpp@${digest}`, true],
    [`*@${digest}`, `a/b:c@${digest}`, true],
    ["app:?", "app:1", true],
    ["app:?", "app:12", false],
    ["a.b/c", "axb/c", false],
  ] as const) {
    assert.equal(matchesImage(pattern, image), is, `${pattern} ${image}`);
  }
  // With a pattern that backtracks this would not come back.
  assert.equal(matchesImage(`${"*a".repeat(60)}b`, "a".repeat(200)), false);
});

test("plain commands are read out of scripts, others are left to a shell", () => {
  const env = new Map([
    ["MODEL", "/m/x.gguf"],
    ["TWO", "a b"],
  ]);
  for (const [script, words] of [
    ["exec vllm serve $MODEL --port 8000", ["vllm", "serve", "/m/x.gguf", "--port", "8000"]],
    [`a "b c" 'd $MODEL' "\${MODEL}x" \\$`, ["a", "b c", "d $MODEL", "/m/x.ggufx", "$"]],
    ["python3 -m x \\\n  --flag=1", ["python3", "-m", "x", "--flag=1"]],
    ['a "$TWO"', ["a", "a b"]],
    ["a $TWO", undefined],
    ["a; b", undefined],
    ["a && b", undefined],
    ["a | b", undefined],
    ["a > b", undefined],
    ["a *.gguf", undefined],
    ["a $(b)", undefined],
    ['a "$(b)"', undefined],
    [`a "\${B:-c}"`, undefined],
    ["a `b`", undefined],
    ["X=1 a", undefined],
    ["a\nb", undefined],
    ["a 'b", undefined],
    ["", undefined],
  ] as const) {
    assert.deepEqual(plainWords(script, env), words, script);
  }
  assert.equal(scriptOf(["/bin/bash", "-lc", "--", "x"]), "x");
  assert.equal(scriptOf(["sh", "-c", "x", "y"]), "x");
  assert.equal(scriptOf(["sh", "file.sh"]), undefined);
  assert.equal(scriptOf(["echo", "-c", "x"]), undefined);
});
