import { deepStrictEqual } from "node:assert";
import { readFileSync, writeFileSync } from "node:fs";
import type { KubeObject } from "@trivium/kube";
import { formatTime, isObject, type Json } from "@trivium/std";
import type { Case, LawfulReconciler } from "../laws/law.ts";
import { differenceOf } from "./difference.ts";
import { formatChange, formatGolden } from "./format.ts";
import { changedDigest } from "./patch.ts";
import { expectedFrom, type SavedCase } from "./read-cases.ts";

/** What the reconciler decides now, in the form that a case file has it. */
export function decisionOf<O extends KubeObject, Observed>(
  reconciler: LawfulReconciler<O, Observed>,
  { object, observed, now }: Case<O, Observed>,
): Json {
  const decision = reconciler.decide(object, observed, now) as unknown as Record<string, unknown>;
  const children = (decision.children as { kind: { kind: string }; object: unknown }[] | undefined)?.map(
    ({ kind: _, ...child }) => child,
  );
  const plain = { ...decision, ...(children === undefined ? {} : { children }) };
  return JSON.parse(JSON.stringify(plain)) as Json;
}

/** Decides a case, and its bases where it has some. */
export type Decide = (saved: SavedCase) => Json;

/**
 * Fails unless a case leads to its decision: the one in the file, or that of the base with what the file expects to differ.
 * With `UPDATE_CASES=1` the file gets the decision, to be read in the diff. Returns what was decided.
 */
export function checkDecision(
  saved: SavedCase,
  decide: Decide,
  { update } = { update: process.env.UPDATE_CASES !== undefined },
): Json {
  const decision = decided(saved, decide);
  const base = saved.base === undefined ? undefined : decided(saved.base, decide);
  if (update) saveDecision(saved, decision, base);
  else {
    const expected = base === undefined ? saved.decision : expectedFrom(base, saved);
    deepStrictEqual(withMarks(decision, expected), expected);
  }
  return decision;
}

const decisions = new WeakMap<SavedCase, Json>();

/** A base has many followers, and is decided once. */
function decided(saved: SavedCase, decide: Decide): Json {
  const decision = decisions.get(saved) ?? decide(saved);
  decisions.set(saved, decision);
  return decision;
}

/** A digest that is another one than the base's is as good as the mark. */
function withMarks(value: Json, expected: Json | undefined): Json {
  if (typeof expected === "string" && expected.startsWith(`${changedDigest}:`))
    return typeof value === "string" && !expected.endsWith(`:${value}`) ? expected : value;
  if (Array.isArray(value))
    return value.map((item, i) => withMarks(item, Array.isArray(expected) ? expected[i] : undefined));
  if (!isObject(value)) return value;
  const inner = isObject(expected) ? expected : {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withMarks(item, inner[key])]));
}

function saveDecision({ about, object, observed, now, path }: SavedCase, decision: Json, base: Json | undefined): void {
  if (base === undefined) {
    writeFileSync(path, formatGolden({ about, now: formatTime(now), object, observed, decision }));
    return;
  }
  const [head = ""] = readFileSync(path, "utf8").split(/^expect:/m);
  const expect = differenceOf(base, decision);
  writeFileSync(path, expect === undefined ? head : head + formatChange({ expect }));
}
