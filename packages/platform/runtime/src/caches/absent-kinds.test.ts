import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap, type Kind, type ServedResource } from "@trivium/kube";
import { FakeClock, turns } from "@trivium/testkit";
import { AbsentKinds } from "./absent-kinds.ts";

const other: Kind = { group: "b.example", version: "v1", kind: "Other", plural: "others", namespaced: true };

function rig(answers: readonly (readonly Kind[] | Error)[]) {
  const clock = new FakeClock(0);
  const stop = new AbortController();
  let calls = 0;
  const discover = async (): Promise<readonly ServedResource[]> => {
    const answer = answers[calls++] ?? [];
    if (answer instanceof Error) throw answer;
    return answer as readonly unknown[] as readonly ServedResource[];
  };
  const absent = new AbsentKinds({ client: { discover }, clock, random: () => 0 });
  const arrived: string[] = [];
  for (const kind of [ConfigMap as Kind, other])
    void absent.whenServed(kind, stop.signal).then(() => arrived.push(kind.kind));
  return { clock, arrived, calls: () => calls, stop: () => stop.abort() };
}

test("one discovery is for all kinds that are missing, and each is found when it is served", async () => {
  const { clock, arrived, calls } = rig([[], [other], [other, ConfigMap as Kind]]);
  await clock.advance(29_000);
  assert.equal(calls(), 0);
  await clock.advance(1_000);
  assert.deepEqual([calls(), arrived], [1, []]);
  await clock.advance(30_000);
  assert.deepEqual([calls(), arrived], [2, ["Other"]]);
  await clock.advance(30_000);
  assert.deepEqual([calls(), arrived], [3, ["Other", "ConfigMap"]]);
  await clock.advance(300_000);
  assert.equal(calls(), 3);
});

test("a kind of another version is not the kind; a discovery that fails leaves it to a list", async () => {
  const { clock, arrived, calls, stop } = rig([[{ ...other, version: "v2" }], new Error("unreachable")]);
  await clock.advance(30_000);
  assert.deepEqual([calls(), arrived], [1, []]);
  await clock.advance(30_000);
  assert.deepEqual([calls(), arrived], [2, ["ConfigMap", "Other"]]);
  stop();
});

test("who stops does not wait", async () => {
  const { arrived, stop } = rig([]);
  stop();
  await turns();
  assert.deepEqual(arrived, ["ConfigMap", "Other"]);
});
