import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@trivium/kube";
import { openLog } from "./log.ts";

test("a line is one JSON object; of an error it has the words and not what hangs on it", () => {
  const lines: string[] = [];
  const log = openLog("info", (line) => lines.push(line));
  const head = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const;
  const details = { causes: [{ message: "hunter2" }] };
  const refused = new ApiError({ ...head, message: "no", reason: "Invalid", code: 422, details });
  log.debug({}, "not important enough");
  log.warn({ err: Object.assign(new Error("outer", { cause: refused }), { request: { token: "hunter2" } }) }, "oh");
  assert.equal(lines.length, 1);
  assert.doesNotMatch(lines[0] ?? "", /hunter2/);
  const { level, msg, err } = JSON.parse(lines[0] ?? "") as Record<string, Record<string, unknown>>;
  assert.deepEqual([level, msg, err?.message], ["warn", "oh", "outer"]);
  assert.match(String(err?.stack), /log\.test\.ts/);
  assert.deepEqual(err?.cause, { name: "ApiError", message: "no", code: 422, reason: "Invalid" });
});
