import assert from "node:assert/strict";
import { test } from "node:test";
import { annotations } from "../labels.ts";
import { defaultOptions } from "../options.ts";
import type { ObservedSlot } from "./observe.ts";
import { discoverySlots } from "./reconciler.ts";

const now = Date.parse("2026-11-15T12:00:00Z");
const slot = (name: string, more: Partial<ObservedSlot> = {}): ObservedSlot => ({
  kind: "AIMServiceTemplate",
  namespace: "team-a",
  name,
  attempts: 0,
  since: "2026-11-15T11:00:00Z",
  ...more,
});

/** Who has which Job now, and from whom the slot was taken; null. */
function grants(
  templates: readonly ObservedSlot[],
  jobs: readonly string[],
  maxJobs: number,
): Record<string, string | null> {
  const reconciler = discoverySlots({ ...defaultOptions, discovery: { maxJobs, maxAttempts: 5 } });
  const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system" } };
  const decision = reconciler.decide(home, { templates, jobs }, now);
  const patches = decision.do === "converge" ? (decision.patches ?? []) : [];
  return Object.fromEntries(
    patches.flatMap((patch) =>
      patch.patch === "fields"
        ? [[patch.object.metadata.name, patch.object.metadata.annotations?.[annotations.discoverySlot] ?? null]]
        : [],
    ),
  );
}

test("free slots are granted, used ones are returned, and orphaned Jobs occupy a slot", () => {
  const templates = [
    slot("runs", { job: "j-runs", granted: "j-runs" }),
    slot("done", { granted: "j-done" }),
    slot("late", { job: "j-late", since: "2026-11-15T11:30:00Z" }),
    slot("first", { job: "j-first", since: "2026-11-15T10:00:00Z" }),
    slot("failing", { job: "j-f", attempts: 2, since: "2026-11-15T09:00:00Z" }),
    slot("another-try", { job: "j-2", granted: "j-1", attempts: 1 }),
  ];
  const jobs = ["j-runs", "j-stray"];
  const expected = { runs: "j-runs", done: null, first: "j-first", "another-try": null };
  assert.deepEqual(grants(templates, jobs, 3), expected);
  assert.deepEqual(grants(templates.toReversed(), jobs, 3), expected);
  assert.deepEqual(grants(templates, jobs, 4), { ...expected, late: "j-late" });
});

test("a slot in use is not revoked, even if there are too many", () => {
  const templates = ["a", "b"].map((name) => slot(name, { job: name, granted: name }));
  assert.deepEqual(grants([...templates, slot("c", { job: "c" })], ["a", "b"], 1), { a: "a", b: "b" });
});

test("slots whose Jobs a quota forbids stop counting after a minute and are checked again then", () => {
  const stuck = (grantedAt: string) => ["a", "b"].map((name) => slot(name, { job: name, granted: name, grantedAt }));
  const waiting = slot("c", { job: "c" });
  assert.deepEqual(Object.keys(grants([...stuck("2026-11-15T11:59:30Z"), waiting], [], 2)), ["a", "b"]);
  assert.deepEqual(Object.keys(grants([...stuck("2026-11-15T11:59:00Z"), waiting], [], 2)), ["a", "b", "c"]);
  const reconciler = discoverySlots({ ...defaultOptions, discovery: { maxJobs: 2, maxAttempts: 5 } });
  const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system" } };
  const recheckOf = (templates: readonly ObservedSlot[], jobs: readonly string[]) => {
    const decision = reconciler.decide(home, { templates, jobs }, now);
    return decision.do === "converge" ? decision.recheckIn : undefined;
  };
  assert.equal(recheckOf([...stuck("2026-11-15T11:59:30Z"), waiting], []), 30_000);
  assert.equal(recheckOf([...stuck("2026-11-15T11:59:30Z"), waiting], ["a", "b"]), undefined);
  assert.equal(recheckOf(stuck("2026-11-15T11:59:30Z"), []), undefined);
});

test("Jobs that wait for an image that cannot be pulled do not block others", () => {
  const stuck = ["a", "b"].map((name) => slot(name, { job: name, granted: name, isStuck: true }));
  assert.deepEqual(Object.keys(grants([...stuck, slot("c", { job: "c" })], ["a", "b"], 2)), ["a", "b", "c"]);
});
