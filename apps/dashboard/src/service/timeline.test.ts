import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyObject } from "@trivium/kube";
import { buildTimeline } from "./timeline.ts";

const thing = (kind: string, name: string, conditions: readonly object[] = []): AnyObject =>
  ({ apiVersion: "v1", kind, metadata: { name, uid: name }, status: { conditions } }) as unknown as AnyObject;
const condition = (type: string, at: string) => ({
  type,
  status: "False",
  reason: "R",
  message: "m",
  lastTransitionTime: at,
});
const event = (uid: string, type: string, at: string): AnyObject =>
  ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${uid}.${at}` },
    ...{ type, reason: "Back", message: "off", count: 3, lastTimestamp: at },
    involvedObject: { kind: "Pod", name: uid, uid },
  }) as unknown as AnyObject;

test("conditions and events are one list, the newest first, without those of other objects", () => {
  const gathered = {
    object: thing("Service", "chat", [condition("Ready", "2026-01-01T00:02:00Z"), { type: "Old", status: "True" }]),
    uses: [],
    parts: [{ object: thing("Pod", "chat-0", [condition("Ready", "2026-01-01T00:01:00Z")]), parts: [] }],
  };
  const events = [
    event("chat-0", "Warning", "2026-01-01T00:03:00Z"),
    event("other", "Warning", "2026-01-01T00:04:00Z"),
  ];
  const entries = buildTimeline(gathered, events);
  assert.deepEqual(
    entries.map(({ is, of, title, count }) => `${is} ${of}: ${title} x${count}`),
    [
      "warning Pod chat-0: Back x3",
      "condition Service chat: Ready False (R) x1",
      "condition Pod chat-0: Ready False (R) x1",
    ],
  );
});
