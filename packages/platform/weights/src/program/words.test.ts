import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBar, formatBytes, formatProgress, parseBytes } from "./words.ts";

test("bytes are read as people write them", () => {
  const cases: [string, number | undefined][] = [
    ["1000", 1000],
    ["1k", 1000],
    ["1KiB", 1024],
    ["1.5G", 1.5e9],
    ["2GiB", 2 * 1024 ** 3],
    ["10 MB", 10e6],
    ["", undefined],
    ["-1", undefined],
    ["1X", undefined],
    ["1e9", undefined],
  ];
  for (const [text, bytes] of cases) assert.equal(parseBytes(text), bytes, text);
});

test("progress reads well, with and without a total, and fits the line", () => {
  const progress = { file: "m.gguf", bytes: 5e8, total: 1e9, rate: 1e8, etaSeconds: 5, attempt: 1, protocol: "http" };
  assert.equal(formatProgress(progress), "m.gguf: 50% 476.8Mi of 953.7Mi at 95.4Mi/s, 5s left");
  assert.equal(formatProgress({ ...progress, total: undefined, etaSeconds: undefined }), "m.gguf: 476.8Mi at 95.4Mi/s");
  assert.ok(formatBar(progress, 100).startsWith("[===============               ] m.gguf"));
  assert.ok(formatBar(progress, 40).length < 40);
  assert.match(formatProgress({ ...progress, etaSeconds: 7325 }), /2h2m left/);
  assert.equal(formatBytes(999), "999 bytes");
});
