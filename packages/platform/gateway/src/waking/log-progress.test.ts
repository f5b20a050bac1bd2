import assert from "node:assert/strict";
import { it } from "node:test";
import { plainLine, readShare } from "./log-progress.ts";

it("reads progress out of lines of programs that count differently", () => {
  for (const [line, share] of [
    ['{"bytes":42,"total":100}', 42],
    ['{"bytes":999,"total":1000,"file":"a"}', 99],
    ['{"bytes":1}', undefined],
    ['{"bytes":1,"total":0}', undefined],
    ["{broken", undefined],
    ["model.safetensors:  37%|###   | 1.2G/3.2G", 37],
    ["loaded in 12.5 s", undefined],
  ] as const) {
    assert.equal(readShare(line), share, line);
  }
});

it("lets nothing into a stream of events that could end a comment", () => {
  assert.equal(plainLine("a\n\ndata: evil\r\nb\u0000"), "a data: evil b");
  assert.equal(plainLine("x".repeat(500)).length, 161);
});
