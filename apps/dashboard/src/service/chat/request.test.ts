import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { asCurl, asPython, chatRequest, defaultSettings } from "./request.ts";

const hostile = `it's "quoted" $HOME \`id\` \\ 'x'\nnext`;
const request = chatRequest("team/chat", [{ role: "user", content: hostile }], {
  ...defaultSettings,
  system: " Be brief ",
});

test("a system prompt comes first, and an empty one is left out", () => {
  assert.deepEqual(request.messages[0], { role: "system", content: "Be brief" });
  assert.equal(chatRequest("m", [], defaultSettings).messages.length, 0);
});

test("the shell hands the text to curl as it is", () => {
  const command = asCurl("http://127.0.0.1:8080", request).replace(/^curl/, "printf '%s\\0'");
  const words = execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }).split("\0");
  assert.equal(words[0], "http://127.0.0.1:8080/v1/chat/completions");
  assert.deepEqual(JSON.parse(words[words.indexOf("-d") + 1] ?? ""), request);
});

test("the Python has the same values", () => {
  const text = asPython("http://gateway", request);
  assert.ok(text.includes(`        {"role":"user","content":${JSON.stringify(hostile)}},`));
  assert.match(text, /model="team\/chat",\n[\s\S]*temperature=0\.7,\n {4}max_tokens=512/);
});
