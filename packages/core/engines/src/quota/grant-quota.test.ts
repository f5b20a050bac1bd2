import assert from "node:assert/strict";
import { test } from "node:test";
import { grantQuota, type QuotaClaim, type QuotaGrant } from "./grant-quota.ts";

const claim = (key: string, gpus: number, more: Partial<QuotaClaim> = {}): QuotaClaim => ({
  key,
  limits: ["team"],
  wanted: { gpus },
  held: {},
  priority: 10,
  createdAt: "2026-01-01T00:00:00Z",
  ...more,
});
const summary = (grants: readonly QuotaGrant[]): Record<string, unknown> =>
  Object.fromEntries(grants.map((one) => [one.claim.key, one.is === "granted" ? "granted" : one.fault]));
const team = (gpus: number, minPriority?: number) => [{ key: "team", amounts: { gpus }, minPriority }];

test("the higher priority comes first, then the older, and one that does not fit leaves the rest to others", () => {
  const claims = [
    claim("late", 1, { createdAt: "2026-02-01T00:00:00Z" }),
    claim("large", 4),
    claim("urgent", 3, { priority: 100 }),
  ];
  const { grants, used } = grantQuota(claims, team(4));
  const fault = { is: "exceeded", resource: "gpus", limit: 4, used: 3 };
  assert.deepEqual(summary(grants), { urgent: "granted", large: fault, late: "granted" });
  assert.deepEqual(used.get("team"), { gpus: 4 });
  assert.deepEqual(summary(grantQuota(claims.toReversed(), team(4)).grants), summary(grants));
});

test("what was granted stays, and only more than that waits", () => {
  const held = claim("runs", 4, { held: { gpus: 2 }, priority: 1 });
  const { grants, used } = grantQuota([held, claim("new", 1, { priority: 100 })], team(1));
  const fault = { is: "exceeded", resource: "gpus", limit: 1, used: 2 };
  assert.deepEqual(summary(grants), { new: fault, runs: fault });
  assert.deepEqual(used.get("team"), { gpus: 2 });
});

test("less than was granted frees the rest", () => {
  const { grants } = grantQuota([claim("less", 1, { held: { gpus: 4 } }), claim("next", 3)], team(4));
  assert.deepEqual(summary(grants), { less: "granted", next: "granted" });
});

test("every limit of a claim must have space, and a claim that waits uses none", () => {
  const limits = [...team(4), { key: "all", amounts: { gpus: 2 } }];
  const { grants, used } = grantQuota([claim("a", 3, { limits: ["team", "all"] }), claim("b", 4)], limits);
  assert.deepEqual(summary(grants), { a: { is: "exceeded", resource: "gpus", limit: 2, used: 0 }, b: "granted" });
  assert.deepEqual([used.get("team"), used.get("all")], [{ gpus: 4 }, {}]);
});

test("a limit of none grants none, and needs nothing from those without", () => {
  assert.deepEqual(summary(grantQuota([claim("cpu", 0), claim("gpu", 1)], team(0)).grants), {
    cpu: "granted",
    gpu: { is: "exceeded", resource: "gpus", limit: 0, used: 0 },
  });
});

test("an amount that is not known waits where it is limited, unless it was granted before", () => {
  const limits = [{ key: "team", amounts: { gpus: 4, bytes: 10 } }];
  const claims = [claim("new", 1), claim("old", 1, { held: { gpus: 1 } })];
  assert.deepEqual(summary(grantQuota(claims, limits).grants), {
    new: { is: "unknown", resource: "bytes" },
    old: "granted",
  });
});

test("a priority below the minimum waits", () => {
  const { grants } = grantQuota([claim("low", 1, { priority: 5 }), claim("fine", 1)], team(4, 10));
  assert.deepEqual(summary(grants), { fine: "granted", low: { is: "priority", minPriority: 10 } });
});

test("what a claim uses counts, whatever it needs or was granted", () => {
  const stuck = claim("stuck", 0, { uses: { gpus: 3 }, held: { gpus: 1 } });
  const { grants, used } = grantQuota([stuck, claim("next", 2, { priority: 100 })], team(4));
  const fault = { is: "exceeded", resource: "gpus", limit: 4, used: 3 };
  assert.deepEqual(summary(grants), { next: fault, stuck: "granted" });
  assert.deepEqual(used.get("team"), { gpus: 3 });
  const grown = grantQuota([claim("more", 4, { uses: { gpus: 3 }, held: { gpus: 1 } })], team(4));
  assert.deepEqual([summary(grown.grants), grown.used.get("team")], [{ more: "granted" }, { gpus: 4 }]);
});
