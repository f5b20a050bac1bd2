import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { applyLines, emptyTable, type LiveTable, type TableLine } from "./table.ts";

const thing = (name: string, resourceVersion: string): AnyObject =>
  ({ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "a", resourceVersion } }) as AnyObject;
const change = (type: "ADDED" | "MODIFIED" | "DELETED", name: string, resourceVersion: string): TableLine => ({
  id: "x",
  type,
  object: thing(name, resourceVersion),
  resourceVersion,
});
const list = (items: readonly AnyObject[], resourceVersion: string): TableLine => ({
  id: "x",
  type: "LIST",
  items,
  resourceVersion,
});
const error = (code: number, message: string, isRetried = false): TableLine => ({
  id: "x",
  type: "ERROR",
  code,
  message,
  isRetried,
});
const versionsIn = ({ objects }: LiveTable): string[] =>
  [...objects].map(([key, { metadata }]) => `${key}@${metadata.resourceVersion}`);

test("a list replaces what was there, and changes follow it", () => {
  const listed = applyLines(emptyTable, [list([thing("one", "1"), thing("two", "2")], "5")]);
  assert.deepEqual([listed.is, listed.resourceVersion], ["known", "5"]);
  const changed = applyLines(listed, [
    change("MODIFIED", "one", "6"),
    change("ADDED", "three", "7"),
    change("DELETED", "two", "8"),
    { id: "x", type: "BOOKMARK", resourceVersion: "9" },
  ]);
  assert.deepEqual(versionsIn(changed), ["a/one@6", "a/three@7"]);
  assert.equal(changed.resourceVersion, "9");
  assert.deepEqual(versionsIn(listed), ["a/one@1", "a/two@2"], "the table before is as it was");
  assert.deepEqual(versionsIn(applyLines(changed, [list([thing("four", "11")], "12")])), ["a/four@11"]);
});

test("a collection that cannot be read has the reason, and one that is not served has no objects", () => {
  const refused = applyLines(emptyTable, [error(403, "pods is forbidden")]);
  assert.deepEqual([refused.is, refused.failure], ["refused", "pods is forbidden"]);
  const absent = applyLines(emptyTable, [error(404, "not found")]);
  assert.deepEqual([absent.is, absent.objects.size], ["known", 0]);
  const back = applyLines(refused, [list([], "3")]);
  assert.deepEqual([back.is, back.failure], ["known", undefined]);
});

test("what was read before a break is kept", () => {
  const listed = applyLines(emptyTable, [list([thing("one", "1")], "5")]);
  const broken = applyLines(listed, [error(0, "the API does not respond", true)]);
  assert.deepEqual([broken.is, broken.objects.size, broken.resourceVersion], ["known", 1, "5"]);
});
