import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { openMemoryStore } from "@trivium/apiserver";
import { startApi } from "./harness.ts";

const events = "/api/v1/namespaces/default/events";
const event = (name: string) => ({
  metadata: { name },
  involvedObject: { kind: "Pod", name: "p", namespace: "default" },
  reason: "Tested",
  message: "m",
  type: "Normal",
});

test("events are found by what they are about", async () => {
  const { post, get } = await startApi();
  await post(events, event("one"));
  await post(events, { ...event("two"), involvedObject: { kind: "Pod", name: "q", namespace: "default" } });
  const found = (await get(`${events}?fieldSelector=involvedObject.name%3Dp,reason%3DTested`)).json.items;
  assert.deepEqual(
    found.map(({ metadata }: { metadata: { name: string } }) => metadata.name),
    ["one"],
  );
});

test("an event is gone an hour after it was last written, also over a restart", async (context) => {
  let now = Date.UTC(2026, 0, 1);
  const store = await openMemoryStore();
  mock.timers.enable({ apis: ["setTimeout"] });
  context.after(() => mock.timers.reset());
  const pass = (millis: number) => {
    now += millis;
    mock.timers.tick(millis);
  };
  const first = await startApi({ store, clock: () => now });
  await first.post(events, event("early"));
  await first.post(events, event("renewed"));
  pass(30 * 60_000);
  await first.post(events, event("late"));
  await first.patch(`${events}/renewed`, { message: "again" });
  pass(31 * 60_000);
  await store.settled();
  assert.deepEqual(
    Array.from(store.list("events"), ({ key }) => key.name),
    ["late", "renewed"],
  );
  await first.api.close();
  await startApi({ store, clock: () => now });
  pass(31 * 60_000);
  await store.settled();
  assert.deepEqual([...store.list("events")], []);
});
