import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { KubeObject } from "@trivium/kube";
import { canonicalJson } from "@trivium/std";
import { type Case, readCases } from "@trivium/testkit";
import fc from "fast-check";
import { serviceReconciler } from "../src/inference-service/reconciler.ts";
import { defaultOptions } from "../src/options.ts";

const reconciler = serviceReconciler(defaultOptions);
const cases = readCases(join(import.meta.dirname, "../src/inference-service/cases"));

/** The same value with the keys of every map in another order. Lists keep theirs: there it has a meaning. */
function shuffled<T>(value: T, key: (text: string) => number): T {
  if (Array.isArray(value)) return value.map((one) => shuffled(one, key)) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => key(a) - key(b));
  return Object.fromEntries(entries.map(([name, one]) => [name, shuffled(one, key)])) as T;
}

/** Every order comes from a number, so that a failure can be seen again. */
const orderOf = (seed: number) => (text: string) => {
  let hash = seed;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x9e3779b1) >>> 0;
  return hash;
};

const childrenOf = ({ object, observed, now }: Case): string => {
  const decision = reconciler.decide(object as never, observed as never, now);
  return canonicalJson(decision.do === "converge" ? decision.children.map((child) => child.object) : []);
};

test("the same input in any order of its keys gives the same objects, and pods of the same template", () => {
  const pick = fc.constantFrom(...cases);
  fc.assert(
    fc.property(pick, fc.nat(), (one: Case, seed) => {
      const order = orderOf(seed);
      const other = {
        ...one,
        object: shuffled<KubeObject>(one.object, order),
        observed: shuffled(one.observed, order),
      };
      assert.equal(childrenOf(other), childrenOf(one));
    }),
    { numRuns: 300 },
  );
});

test("what steers autoscalers and Services is not in a pod: changing it starts nothing anew", () => {
  const smoke = cases.find(({ name }) => name === "smoke") as Case;
  const steered: Case = {
    ...smoke,
    object: {
      ...smoke.object,
      metadata: {
        ...smoke.object.metadata,
        annotations: {
          "ome.io/autoscalerClass": "external",
          "ome.io/targetUtilizationPercentage": "70",
          "ome.io/service-type": "NodePort",
          "autoscaling.keda.sh/threshold": "5",
          "trivium.dev/idle-timeout": "1h",
        },
      },
    },
  };
  const templateOf = (one: Case) => /"ome.io\/template":"(\w+)"/.exec(childrenOf(one))?.[1];
  assert.equal(templateOf(steered), templateOf(smoke));
  assert.notEqual(childrenOf(steered), childrenOf(smoke));
});
