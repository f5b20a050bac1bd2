import assert from "node:assert/strict";
import { test } from "node:test";
import { pieceSize } from "./piece-size.ts";

const mebibyte = 1024 * 1024;

test("pieces begin small, grow with what the run has brought, and end at thirty-two mebibytes", () => {
  assert.equal(pieceSize({ fetched: 0, connections: 4, rate: undefined }), mebibyte / 2);
  assert.equal(pieceSize({ fetched: 320 * mebibyte, connections: 8, rate: 100_000 }), 5 * mebibyte);
  assert.equal(pieceSize({ fetched: 140e9, connections: 16, rate: 100_000 }), 32 * mebibyte);
});

test("a slow connection asks for half a second's worth, never for crumbs", () => {
  assert.equal(pieceSize({ fetched: mebibyte, connections: 16, rate: 2 * 1024 }), mebibyte);
  assert.equal(pieceSize({ fetched: mebibyte, connections: 16, rate: 1 }), mebibyte / 4);
  assert.equal(pieceSize({ fetched: mebibyte, connections: 16, rate: 1e6 }), 2 * mebibyte);
});
