import assert from "node:assert/strict";
import { it } from "node:test";
import { TokenTap } from "./token-tap.ts";

function tapped(text: string, size: number): TokenTap {
  const tap = new TokenTap();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) tap.see(bytes.subarray(at, at + size));
  return tap;
}

it("finds the counts of tokens at either end of an answer, however it is cut", () => {
  const usage = '"usage":{"prompt_tokens":3,"prompt_tokens_details":{"cached_tokens":1},"completion_tokens":5}';
  const filler = "0.123456789,".repeat(20_000);
  for (const text of [`{${usage},"data":[${filler}1]}`, `{"data":[${filler}1],${usage}}`, `{${usage}}`]) {
    for (const size of [7, 1_000, 65_536]) assert.deepEqual(tapped(text, size).usage(), { prompt: 3, completion: 5 });
  }
});

it("takes the last usage of a stream that is not null, and sees whether the stream said that it was done", () => {
  const stream =
    'data: {"usage":{"prompt_tokens":1,"completion_tokens":1}}\n\ndata: {"usage":null}\n\ndata: [DONE]\n\n';
  assert.deepEqual(tapped(stream, 10).usage(), { prompt: 1, completion: 1 });
  assert.equal(tapped(stream, 10).hasSaidDone, true);
  assert.equal(tapped(stream.slice(0, -10), 10).hasSaidDone, false);
  assert.equal(tapped("", 1).usage(), undefined);
});
