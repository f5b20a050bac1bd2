import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayDuration } from "./gateway-duration.ts";

test("durations of routes have whole parts", () => {
  const table = {
    "5m": "5m",
    "1.5s": "1s500ms",
    "90s": "1m30s",
    "0": "0s",
    "1h1ns": "1h1ms",
    "-1s": undefined,
    x: undefined,
    "100000h": undefined,
  };
  for (const [text, wanted] of Object.entries(table)) assert.equal(gatewayDuration(text), wanted, text);
});
