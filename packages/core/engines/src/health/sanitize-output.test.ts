import assert from "node:assert/strict";
import { test } from "node:test";
import { sanitizeOutput } from "./sanitize-output.ts";

test("what a container printed may stand in a status: no control characters, no colours, no tricks with direction", () => {
  const rows: readonly (readonly [string | undefined, string])[] = [
    [undefined, ""],
    ["  plain  ", "plain"],
    ["two\nlines\r\n", "two lines"],
    ["\u001b[31mred\u001b[0m", "red"],
    ["bell\u0007null\u0000\u0000delete\u007f", "bell null delete"],
    ["\u202egnirts\u2066 x\u2069", "gnirts x"],
    ["HF_TOKEN=hf_abcdefghijklmnop denied", "HF_TOKEN=redacted denied"],
    ["GET https://me:pa55word@host/x failed", "GET https://me:redacted@host/x failed"],
    ["n_tokens = 512, unexpected token: {", "n_tokens = 512, unexpected token: {"],
    ["lone \ud800 surrogate", "lone \ufffd surrogate"],
  ];
  for (const [text, clean] of rows) assert.equal(sanitizeOutput(text), clean);
});

test("what is not seen hides no credential", () => {
  const letters = "abcdefghijklmnopqrstuvwxyzabcdefgh";
  const rows: readonly (readonly [string, string])[] = [
    ["\u001b[36mapi_key\u001b[0m=\u001b[35mS3cret\u001b[0m end", "api_key=redacted end"],
    [`hf_\u001b[0m${letters} end`, "redacted end"],
    [`hf_a\u200b\u202e\u2060${letters} end`, "redacted end"],
    ["start\npassword: S3cret of words\nend", "start password: redacted end"],
  ];
  for (const [text, clean] of rows) assert.equal(sanitizeOutput(text), clean);
});

test("of a long output only the end is searched", () => {
  const pairs = Array.from({ length: 200_000 }, (_, at) => `password=pw${at}xxxx`);
  const start = performance.now();
  assert.ok(!sanitizeOutput(`${pairs.join(" ")} end`).includes("xxxx"));
  assert.ok(performance.now() - start < 1_000);
});

test("of long words the end is kept, cut between characters and never longer than allowed by more than a mark", () => {
  const long = sanitizeOutput(`start ${"😀".repeat(1_000)} end`, 101);
  assert.ok(long.startsWith("… ") && long.endsWith(" end") && long.length <= 103, long);
  assert.equal(long, long.toWellFormed());
  assert.ok(!long.includes("\ufffd"), "half a character is no character");
});

test("long words begin with a whole one, unless that one is longer than words are", () => {
  const reported = "failed: Back-off pulling image";
  assert.equal(sanitizeOutput(reported, 22), "… Back-off pulling image");
  assert.equal(sanitizeOutput(reported, 21), "… pulling image");
  assert.equal(sanitizeOutput(reported, 23), "… Back-off pulling image");
  assert.equal(sanitizeOutput(`x ${"a".repeat(100)} end`, 84), `… ${"a".repeat(80)} end`);
});
