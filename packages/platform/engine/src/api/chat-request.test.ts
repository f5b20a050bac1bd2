import assert from "node:assert/strict";
import { test } from "node:test";
import type { Engine } from "../engine.ts";
import { ApiError } from "./api-error.ts";
import { messagesOf } from "./chat-request.ts";

const engine = {} as Engine;

test("a message needs a role that is text", () => {
  for (const message of [
    { content: null },
    { role: null, content: null },
    { role: {}, content: null },
    { role: { a: 1 }, content: "x" },
    { role: ["user"], content: [] },
    { role: 5, content: null },
  ])
    assert.throws(
      () => messagesOf({ messages: [message] }, engine),
      (error) => error instanceof ApiError && error.status === 400 && /'role'/.test(error.message),
      JSON.stringify(message),
    );
});

test("null is no content", () => {
  const { messages } = messagesOf({ messages: [{ role: "user", content: null }] }, engine);
  assert.deepEqual(messages, [{ role: "user", content: "" }]);
});
