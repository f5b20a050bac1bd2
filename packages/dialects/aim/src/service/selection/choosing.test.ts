import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Service, workloadNameOf } from "../names/names.ts";
import type { ObservedModel, ObservedTemplate } from "../observed/observed-service.ts";
import { faultOfResources, mergeResources } from "../pod/resources.ts";
import { olderConflict } from "../traffic/routing.ts";
import { folderOf } from "../weights/sources.ts";
import { chooseTemplate } from "./choose-template.ts";
import { derivedTemplateName } from "./derived-template.ts";
import { readMatching } from "./matching.ts";

const service = (spec: Partial<Service["spec"]> = {}, metadata: Service["metadata"] = {}): Service => ({
  apiVersion: "aim.silogen.ai/v1alpha1",
  kind: "AIMService",
  metadata: { name: "chat", namespace: "team-a", ...metadata },
  spec: { model: { ref: "foo" }, ...spec },
});
const model: ObservedModel = {
  kind: "AIMClusterModel",
  scope: "Cluster",
  name: "foo",
  uid: "m",
  owners: [],
  spec: { image: "foo:1" },
};

interface Traits {
  readonly gpu?: string;
  readonly metric?: string;
  readonly precision?: string;
  readonly type?: string;
  readonly count?: number;
  readonly state?: string;
  readonly scope?: "Namespace" | "Cluster";
}

function template(name: string, traits: Traits = {}): ObservedTemplate {
  const { gpu = "MI300X", metric = "latency", precision = "fp8", type = "optimized", count = 1 } = traits;
  const { state = "Ready", scope = "Cluster" } = traits;
  const metadata = { gpu, metric, precision, type, gpuCount: count };
  const status = { status: state, profile: { metadata } } as NonNullable<ObservedTemplate["status"]>;
  return { scope, name, uid: name, labels: {}, owners: [], spec: { modelName: "foo" }, status };
}

const outcomesOf = (candidates: ObservedTemplate[], spec: Partial<Service["spec"]> = {}, of = model) => {
  const choice = chooseTemplate({ service: service(spec), model: of, candidates });
  const outcomes = (choice.matching.candidates ?? []).map(({ name, reason }) => `${name} ${reason}`);
  return [choice.is === "chosen" ? choice.template.name : choice.is, ...outcomes];
};

describe("template selection", () => {
  const table: [string, ObservedTemplate[], string[], Partial<Service["spec"]>?][] = [
    [
      "type before GPU",
      [template("a", { type: "preview", gpu: "MI355X" }), template("b", { gpu: "MI210" })],
      ["b", "a LowerPreferenceRank", "b BestMatch"],
      { template: { allowUnoptimized: true } },
    ],
    [
      "GPU before metric",
      [template("a", { gpu: "MI325X", metric: "throughput" }), template("b")],
      ["a", "a BestMatch", "b LowerPreferenceRank"],
    ],
    [
      "new GPUs rank first",
      [template("a", { gpu: "MI355X" }), template("b", { gpu: "MI325X" })],
      ["a", "a BestMatch", "b LowerPreferenceRank"],
    ],
    [
      "the vendor's long names are the same GPU",
      [template("a", { gpu: "AMD_Instinct_MI325X" }), template("b")],
      ["a", "a BestMatch", "b LowerPreferenceRank"],
    ],
    [
      "latency before precision",
      [template("a", { precision: "fp16" }), template("b", { metric: "throughput", precision: "fp4" })],
      ["a", "a BestMatch", "b LowerPreferenceRank"],
    ],
    [
      "int4 before fp8",
      [template("a"), template("b", { precision: "int4" })],
      ["b", "a LowerPreferenceRank", "b BestMatch"],
    ],
    [
      "the namespace before everything",
      [template("a", { gpu: "MI355X" }), template("b", { gpu: "MI100", scope: "Namespace" })],
      ["b", "a LowerPreferenceRank", "b BestMatch"],
    ],
    [
      "counts do not count",
      [template("a"), template("b", { count: 8 })],
      ["failed", "a TemplateSelectionAmbiguous", "b TemplateSelectionAmbiguous"],
    ],
    [
      "every loser has its own reason",
      [
        template("a", { state: "Failed" }),
        template("b", { state: "Degraded" }),
        template("c", { state: "Odd" }),
        template("d", { type: "preview" }),
        template("e"),
      ],
      [
        "e",
        "a TemplateFailed",
        "b TemplateDegraded",
        "c TemplateNotReady",
        "d UnoptimizedTemplateFiltered",
        "e BestMatch",
      ],
    ],
    ["older objects say Available", [template("a", { state: "Available" })], ["a", "a BestMatch"]],
    [
      "overrides that one fulfils",
      [template("a"), template("b", { precision: "FP16" })],
      ["b", "a ServiceOverridesNotMatched", "b BestMatch"],
      { overrides: { precision: "fp16" } },
    ],
    [
      "overrides of the GPU",
      [template("a"), template("b", { gpu: "MI325X" })],
      ["a", "a BestMatch", "b ServiceOverridesNotMatched"],
      { overrides: { gpuSelector: { model: "mi300x" } } },
    ],
    [
      "overrides that nobody fulfils: the best is the base",
      [template("a"), template("b", { gpu: "MI210" })],
      ["a", "a BestMatch", "b LowerPreferenceRank"],
      { overrides: { metric: "throughput" } },
    ],
    [
      "overrides that somebody will fulfil are waited for",
      [template("a"), template("b", { metric: "throughput", state: "Pending" })],
      ["waiting", "a ServiceOverridesNotMatched", "b TemplatePending"],
      { overrides: { metric: "throughput" } },
    ],
    ["nobody", [], ["failed"]],
    [
      "overrides of the GPU's memory, by what is known of its model",
      [template("a", { gpu: "MI210" }), template("b")],
      ["b", "a ServiceOverridesNotMatched", "b BestMatch"],
      { overrides: { hardware: { gpu: { minVram: "128Gi" } } } },
    ],
    [
      "overrides of the number of GPUs, in the newer spelling",
      [template("a"), template("b", { count: 4 })],
      ["b", "a ServiceOverridesNotMatched", "b BestMatch"],
      { overrides: { hardware: { gpu: { requests: 4, models: ["MI300X"] } } } },
    ],
    [
      "overrides of processors and of the GPU resource are no wish that any template will do for",
      [template("a")],
      ["a", "a BestMatch"],
      { overrides: { gpuSelector: { resourceName: "acme.com/gpu" }, hardware: { cpu: { requests: "8" } } } },
    ],
  ];
  for (const [name, candidates, wanted, spec] of table)
    test(name, () => assert.deepEqual(outcomesOf(candidates, spec), wanted));

  test("every candidate is reported with actual and required values", () => {
    const reported = (candidates: ObservedTemplate[], spec: Partial<Service["spec"]> = {}) =>
      (chooseTemplate({ service: service(spec), model, candidates }).matching.candidates ?? []).map(
        ({ name, status, reason, message }) => `${name} ${status} ${reason}: ${message}`,
      );
    const condition = {
      type: "Ready",
      status: "False",
      reason: "GPUUnavailable",
      message: "No node has GPU model MI100",
    } as const;
    const gone = template("d", { gpu: "MI100", state: "NotAvailable" });
    const absent = { ...gone, status: { ...gone.status, conditions: [{ ...condition, lastTransitionTime: "" }] } };
    assert.deepEqual(
      reported([
        template("a"),
        template("b", { metric: "throughput" }),
        template("c", { type: "preview", state: "Progressing" }),
        absent,
        template("e", { gpu: "MI210" }),
        template("f", { precision: "fp32" }),
      ]),
      [
        "a chosen BestMatch: best match in the cluster",
        "b rejected LowerPreferenceRank: metric: throughput is ranked below latency",
        "c rejected TemplateProgressing: status: requires Ready, found Progressing; profile type: requires optimized, or spec.template.allowUnoptimized: true, found preview",
        "d rejected TemplateNotAvailable: status: requires Ready, found NotAvailable: No node has GPU model MI100; GPU: requires MI100, found none in the cluster",
        "e rejected LowerPreferenceRank: GPU: MI210 is ranked below MI300X",
        "f rejected LowerPreferenceRank: precision: fp32 is ranked below fp8",
      ],
    );
    const hardware = { gpu: { requests: 2, models: ["MI325X"], minVram: "200Gi" }, cpu: { requests: "8" } };
    assert.deepEqual(reported([template("a"), template("b", { metric: "throughput" })], { overrides: { hardware } }), [
      "a chosen BestMatch: best match in the cluster; deriving a template from it because spec.overrides differs (GPU model: requires MI325X, found MI300X; GPU count: requires 2, found 1; GPU memory: requires at least 200Gi, found MI300X with 192Gi; CPU: requires 8 to any, found none)",
      "b rejected LowerPreferenceRank: metric: throughput is ranked below latency; GPU model: requires MI325X, found MI300X; GPU count: requires 2, found 1; GPU memory: requires at least 200Gi, found MI300X with 192Gi; CPU: requires 8 to any, found none",
    ]);
  });

  test("the choice that a status keeps is read back from its fields", () => {
    const candidates = [template("a", { metric: "throughput" }), template("b"), template("c", { type: "preview" })];
    const { choice, matching } = chooseTemplate({ service: service(), model, candidates });
    const kept = { of: choice.of, chosen: "b", because: "already in use", candidates: [] };
    assert.deepEqual(readMatching(matching, kept), { ...kept, candidates: choice.candidates });
    const { scope: _, ...older } = matching.candidates?.[0] ?? { name: "a", status: "rejected" };
    assert.equal(readMatching({ candidates: [older] }, kept), kept);
  });

  test("a model of the namespace does not use templates of the cluster-scoped model of the same name", () => {
    const own = { ...model, kind: "AIMModel", scope: "Namespace" } as const;
    const candidates = [template("mine", { scope: "Namespace", state: "Pending" }), template("theirs")];
    assert.deepEqual(outcomesOf(candidates, {}, own), [
      "waiting",
      "mine TemplatePending",
      "theirs LowerPreferenceRank",
    ]);
    assert.deepEqual(outcomesOf([template("theirs")], {}, own), ["theirs", "theirs BestMatch"]);
  });

  test("custom weights need no optimized profile", () => {
    const custom = { ...model, spec: { image: "x", modelSources: [{ modelId: "a/b", sourceUri: "hf://a/b" }] } };
    assert.deepEqual(outcomesOf([template("a", { type: "unoptimized" })], {}, custom), ["a", "a BestMatch"]);
  });

  test("the order in which templates are found does not matter", () => {
    const traits = fc.record({
      gpu: fc.constantFrom("MI300X", "MI325X", "??", "constructor"),
      metric: fc.constantFrom("latency", "throughput", "__proto__"),
      precision: fc.constantFrom("fp8", "fp16", "odd"),
      type: fc.constantFrom("optimized", "preview"),
      state: fc.constantFrom("Ready", "Pending", "Failed"),
    });
    const several = fc.array(traits, { maxLength: 8 });
    fc.assert(
      fc.property(several, (list) => {
        const candidates = list.map((one, at) => template(`t${at}`, one));
        assert.deepEqual(outcomesOf(candidates.toReversed()), outcomesOf(candidates));
      }),
    );
  });
});

describe("names", () => {
  const long = "very-long-service-name-for-a-chat-model-in-production";
  const named = (name: string, namespace: string) => workloadNameOf(service({}, { name, namespace }));
  test("of servers", () => {
    assert.equal(named("chat", "team-a"), "chat");
    assert.equal(named(long, "machine-learning"), "very-long-service-name-for-6defee7e");
    assert.ok(named("x".repeat(63), "n".repeat(63)).length <= 63);
  });
  test("of derived templates", () => {
    assert.equal(derivedTemplateName("foo", { precision: "fp8", metric: "throughput" }), "foo-ovr-5ab7d1be");
    const gpuSelector = { resourceName: "amd.com/gpu", model: "MI300X", count: 2 };
    assert.equal(derivedTemplateName("foo", { gpuSelector }), "foo-ovr-20b32257");
    assert.ok(derivedTemplateName("f".repeat(90), { gpuSelector }).length <= 63);
  });
  test("of directories never leave the root", () => {
    const table = { "a/b": "/r/a/b", "../../etc": "/r/etc", "a//b/": "/r/a/b", "..": "/r", "a/./b": "/r/a/b" };
    for (const [id, folder] of Object.entries(table)) assert.equal(folderOf("/r", id), folder);
  });
});

test("resources are merged by key, and contradictions are reported", () => {
  const merge = (gpus: number, ...layers: Parameters<typeof mergeResources>[0]["layers"]) =>
    mergeResources({ gpus, gpuResource: "amd.com/gpu", layers });
  assert.deepEqual(merge(0, undefined), {});
  assert.deepEqual(merge(1), {
    requests: { cpu: "4", memory: "32Gi", "amd.com/gpu": "1" },
    limits: { memory: "48Gi", "amd.com/gpu": "1" },
  });
  const layered = merge(2, { limits: { "amd.com/gpu": "4" } }, { requests: { cpu: "1" } }, { claims: [{ name: "c" }] });
  assert.deepEqual(layered.limits, { memory: "96Gi", "amd.com/gpu": "4" });
  assert.deepEqual([layered.requests?.cpu, layered.claims], ["1", [{ name: "c" }]]);
  assert.match(
    faultOfResources({ requests: { cpu: "lots" } }) ?? "",
    /resources.requests.cpu "lots" is not a valid quantity/,
  );
  assert.match(faultOfResources({ requests: { memory: "2Gi" }, limits: { memory: "1Gi" } }) ?? "", /raise the limit/);
  assert.equal(faultOfResources({ requests: { cpu: "1" }, limits: { cpu: "1000m" } }), undefined);
});

test("of routes with the same path the oldest is kept", () => {
  const conflicts = [
    { namespace: "b", name: "x", createdAt: "2026-01-02T00:00:00Z" },
    { namespace: "a", name: "y", createdAt: "2026-01-01T00:00:00Z" },
  ];
  const mine = (createdAt?: string) =>
    olderConflict(service(), createdAt === undefined ? undefined : { createdAt, parents: [] }, conflicts);
  assert.equal(mine()?.name, "y");
  assert.equal(mine("2025-01-01T00:00:00Z"), undefined);
  assert.equal(mine("2026-01-01T12:00:00Z")?.name, "y");
  assert.equal(mine("2026-01-01T00:00:00Z")?.name, "y");
});
