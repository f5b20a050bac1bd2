import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { AcceleratorPolicy } from "../kinds/accelerator-fields.ts";
import type { RuntimeSpec } from "../selection/index.ts";
import type { ObservedClass } from "./candidate.ts";
import { isAtLeastVersion, memoryBytesOf } from "./capabilities.ts";
import type { ClassConstraints } from "./requirements.ts";
import { type ClassRequest, selectClass } from "./select-class.ts";

type ClassSpec = ObservedClass["spec"];

const classOf = (name: string, memoryGB: string, more: Partial<ClassSpec> = {}, hasNodes = true): ObservedClass => ({
  name,
  hasNodes,
  spec: { vendor: "NVIDIA", discovery: {}, ...more, capabilities: { memoryGB, ...more.capabilities } },
});

const h100 = classOf("h100", "80Gi", {
  family: "Hopper",
  capabilities: {
    computeCapability: "9.0",
    memoryBandwidthGBps: 3350,
    features: ["NVLink", "fp8"],
    performance: { fp16Tflops: 990, int8Tops: 1979 },
  },
  cost: { perHour: "4" },
});
const a100 = classOf("a100", "80Gi", {
  family: "Ampere",
  capabilities: {
    computeCapability: "8.0",
    memoryBandwidthGBps: 2039,
    features: ["nvlink"],
    performance: { fp16Tflops: 312 },
  },
  cost: { perHour: "5", spotPerHour: "1500m" },
});
const l4 = classOf("l4", "24Gi", {
  family: "Ada",
  capabilities: { computeCapability: "8.9", memoryBandwidthGBps: 300, performance: { fp16Tflops: 121, int8Tops: 242 } },
  cost: { perMillionTokens: "100m", tier: "low" },
});
const all = [h100, a100, l4];

const runtimeWith = (names: readonly string[], more: object = {}): ClassRequest["runtime"] => ({
  name: "rt",
  spec: {
    supportedModelFormats: [],
    acceleratorRequirements: { acceleratorClasses: [...names], ...more },
  } as RuntimeSpec,
});

const selected = (policy: AcceleratorPolicy, constraints: ClassConstraints = {}, more: Partial<ClassRequest> = {}) => {
  const place = "spec.acceleratorSelector";
  const runtime = runtimeWith(["l4", "h100", "a100"]);
  return selectClass({ policy, place, constraints, runtime, classes: all, ...more });
};
const nameOf = (...args: Parameters<typeof selected>): string | undefined => selected(...args).choice.chosen;

describe("policies", () => {
  test("FirstAvailable takes the order of the runtime, and classes that have nodes first", () => {
    assert.equal(nameOf("FirstAvailable"), "l4");
    const away = { ...l4, hasNodes: false };
    assert.equal(nameOf("FirstAvailable", {}, { classes: [h100, a100, away] }), "h100");
  });
  test("Cheapest compares hourly prices, spot before list price; others only without any", () => {
    assert.equal(nameOf("Cheapest"), "a100");
    assert.equal(nameOf("Cheapest", { excludedClasses: ["a100", "h100"] }), "l4");
    const tiered = ["low", "high", "else"].map((tier) => classOf(tier, "1Gi", { cost: { tier } }));
    const runtime = runtimeWith(["high", "else", "low"]);
    assert.equal(nameOf("Cheapest", {}, { classes: tiered, runtime }), "low");
  });
  test("MostCapable weighs memory, bandwidth and performance", () => {
    assert.equal(nameOf("MostCapable"), "h100");
    assert.equal(nameOf("MostCapable", { excludedClasses: ["h100"] }), "a100");
  });
  test("BestFit leaves the least memory over, then looks at performance", () => {
    assert.equal(nameOf("BestFit", { minMemory: 20 }), "l4");
    assert.equal(nameOf("BestFit", { minMemory: 40, minComputePerformanceTFLOPS: 900 }), "h100");
    assert.equal(nameOf("BestFit", { minMemory: 40, preferredPrecisions: ["fp8"] }), "h100");
  });
  test("without constraints every policy chooses one", () => {
    for (const policy of ["BestFit", "Cheapest", "MostCapable", "FirstAvailable"] as const)
      assert.notEqual(nameOf(policy), undefined);
  });
  test("the class in use stays while it passes", () => {
    assert.equal(nameOf("Cheapest", {}, { current: "h100" }), "h100");
    assert.equal(nameOf("Cheapest", { excludedClasses: ["h100"] }, { current: "h100" }), "a100");
  });
});

describe("constraints", () => {
  const passing = (constraints: ClassConstraints, runtime = runtimeWith(["l4", "h100", "a100"])): string[] =>
    selected("FirstAvailable", constraints, { runtime })
      .choice.candidates.filter(({ is }) => is !== "rejected")
      .map(({ name }) => name);
  const rows: readonly (readonly [string, ClassConstraints, readonly string[]])[] = [
    ["memory at least", { minMemory: 80 }, ["a100", "h100"]],
    ["memory at most", { maxMemory: 24 }, ["l4"]],
    ["a family alone, in any case", { architectureFamilies: ["hopper"] }, ["h100"]],
    ["a family after its vendor", { architectureFamilies: ["nvidia-ada", "amd-cdna3"] }, ["l4"]],
    ["every feature", { requiredFeatures: ["NVLINK", "fp8"] }, ["h100"]],
    ["versions as numbers", { minArchitectureVersion: "8.9" }, ["h100", "l4"]],
    ["excluded ones", { excludedClasses: ["l4", "unknown"] }, ["a100", "h100"]],
  ];
  for (const [name, constraints, expected] of rows) test(name, () => assert.deepEqual(passing(constraints), expected));
  test("what the runtime requires counts too, and the higher minimum", () => {
    assert.deepEqual(passing({ minMemory: 10 }, runtimeWith(["l4", "h100"], { minMemory: 40 })), ["h100"]);
    assert.deepEqual(passing({}, runtimeWith(["l4", "h100"], { requiredFeatures: ["nvlink"] })), ["h100"]);
  });
  test("nothing passes: each class says why, and the smallest change is the remedy", () => {
    const outcome = selected("Cheapest", { minMemory: 40 }, { runtime: runtimeWith(["l4", "gone"]) });
    assert.equal(outcome.is, "failed");
    assert.equal(
      outcome.message,
      "No accelerator class of runtime rt can be used for policy Cheapest in spec.acceleratorSelector: " +
        "gone (exists: requires an AcceleratorClass of this name, found none), " +
        "l4 (memory: requires at least 40 GB, found 24 GB); set spec.acceleratorSelector.constraints.minMemory to 24",
    );
  });
  test("a minimum of the runtime is no change of the service", () => {
    const runtime = runtimeWith(["l4"], { minMemory: 40 });
    assert.match(selected("Cheapest", {}, { runtime }).message, /found 24 GB\); change spec.acceleratorSelector$/);
  });
  test("a class without memory or version fails where one is required, and passes elsewhere", () => {
    const bare: ObservedClass = { name: "bare", hasNodes: true, spec: { discovery: {}, capabilities: {} } };
    const only = { classes: [bare], runtime: runtimeWith(["bare"]) };
    assert.equal(selected("BestFit", {}, only).is, "selected");
    assert.equal(selected("BestFit", { minMemory: 1 }, only).is, "failed");
    assert.equal(selected("BestFit", { minArchitectureVersion: "1" }, only).is, "failed");
  });
});

test("any order of classes gives the same answer", () => {
  const policies = fc.constantFrom<AcceleratorPolicy>("BestFit", "Cheapest", "MostCapable", "FirstAvailable");
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: all.length }), policies, (classes, policy) => {
      assert.deepEqual(selected(policy, { minMemory: 20 }, { classes }), selected(policy, { minMemory: 20 }));
    }),
  );
});

test("memory with a unit, and without one in GiB", () => {
  const gib = 1024 ** 3;
  const bytes = (memoryGB: string | number) => memoryBytesOf({ capabilities: { memoryGB } });
  assert.deepEqual([bytes("80Gi"), bytes(80), bytes("0"), bytes("192G")], [80 * gib, 80 * gib, undefined, 192e9]);
});

test("versions are compared by their numbers", () => {
  assert.ok(isAtLeastVersion("12.0", "9.0"));
  assert.ok(isAtLeastVersion("8", "8.0"));
  assert.ok(!isAtLeastVersion("8.6", "8.9"));
});
