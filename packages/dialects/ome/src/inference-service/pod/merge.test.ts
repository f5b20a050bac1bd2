import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { RuntimeSpec } from "../../selection/index.ts";
import { decideModes, parseMode } from "../roles/deployment-mode.ts";
import { mergeComponents, mergeRunner } from "./merge.ts";
import { fillPlaceholders } from "./placeholders.ts";

const service = (spec: InferenceService["spec"]): InferenceService => ({
  apiVersion: "ome.io/v1beta1",
  kind: "InferenceService",
  metadata: { name: "chat", namespace: "team" },
  spec,
});
const runtime = (spec: Partial<RuntimeSpec>): RuntimeSpec => ({ supportedModelFormats: [], ...spec });

describe("merging", () => {
  test("M1: the service decides which components there are", () => {
    const all = runtime({ engineConfig: { minReplicas: 1 }, decoderConfig: {}, routerConfig: {} });
    assert.deepEqual(Object.keys(mergeComponents(service({ engine: {} }), all)), ["engine"]);
    assert.deepEqual(Object.keys(mergeComponents(service({ engine: {}, router: {} }), all)), ["engine", "router"]);
    assert.deepEqual(Object.keys(mergeComponents(service({}), all)), ["engine", "decoder", "router"]);
  });
  test("M2: without a template the service's own", () => {
    assert.deepEqual(mergeComponents(service({ engine: { minReplicas: 4 } }), runtime({})).engine, { minReplicas: 4 });
  });
  test("M3 to M5, M7: the service wins; lists by their keys, tolerations as a whole", () => {
    const { engine } = mergeComponents(
      service({
        engine: {
          minReplicas: 0,
          nodeSelector: { b: "2" },
          tolerations: [{ operator: "Exists" }],
          containers: [{ name: "side", image: "mine" }],
          volumes: [{ name: "extra", emptyDir: {} }],
          worker: { size: 3 },
          runner: { name: "main", args: ["--mine"], env: [{ name: "A", value: "service" }] },
        },
      }),
      runtime({
        engineConfig: {
          minReplicas: 2,
          maxReplicas: 8,
          nodeSelector: { a: "1" },
          tolerations: [{ key: "gpu" }],
          containers: [{ name: "side", image: "theirs", args: ["x"] }],
          volumes: [{ name: "shm", emptyDir: {} }],
          worker: { size: 1, runner: { name: "w", image: "theirs" } },
          runner: {
            name: "main",
            image: "theirs",
            args: ["--theirs"],
            env: [
              { name: "A", value: "runtime" },
              { name: "B", value: "runtime" },
            ],
          },
          acceleratorOverride: { acceleratorClass: "h100" },
        },
      }),
    );
    assert.equal(engine?.minReplicas, 0);
    assert.equal(engine?.maxReplicas, 8);
    assert.deepEqual(engine?.nodeSelector, { a: "1", b: "2" });
    assert.deepEqual(engine?.tolerations, [{ operator: "Exists" }]);
    assert.deepEqual(engine?.containers, [{ name: "side", image: "mine", args: ["x"] }]);
    assert.deepEqual(engine?.volumes?.map(({ name }) => name).sort(), ["extra", "shm"]);
    assert.deepEqual(engine?.worker, { size: 3, runner: { name: "w", image: "theirs" } });
    assert.deepEqual(engine?.runner?.args, ["--mine"]);
    assert.deepEqual(
      engine?.runner?.env?.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      [
        { name: "A", value: "service" },
        { name: "B", value: "runtime" },
      ],
    );
    assert.equal(engine?.acceleratorOverride, undefined);
  });
  test("neither side is changed", () => {
    const template = Object.freeze({ engineConfig: Object.freeze({ labels: Object.freeze({ a: "1" }) }) });
    const merged = mergeComponents(service({ engine: { labels: { b: "2" } } }), runtime(template));
    assert.deepEqual(merged.engine?.labels, { a: "1", b: "2" });
  });
  test("M6: arguments of the pod's container, then those of the runner", () => {
    const containers = [
      { name: "side", image: "s" },
      { name: "main", image: "old", args: ["a"], ports: [{ containerPort: 80 }] },
    ];
    assert.deepEqual(mergeRunner(containers, { name: "main", image: "new", args: ["b"] }), [
      { name: "side", image: "s" },
      { name: "main", image: "new", args: ["a", "b"], ports: [{ containerPort: 80 }] },
    ]);
    assert.deepEqual(
      mergeRunner(containers, { name: "other", image: "x" }).map(({ name }) => name),
      ["other", "side", "main"],
    );
  });
});

describe("modes", () => {
  const engine = (spec: NonNullable<InferenceService["spec"]["engine"]>) => decideModes({ engine: spec }).engine;
  test("M8: by annotation, then by shape, then by replicas", () => {
    assert.equal(decideModes({}).engine, undefined);
    assert.equal(engine({}), "RawDeployment");
    assert.equal(engine({ leader: {}, worker: {} }), "MultiNode");
    assert.equal(engine({ leader: {} }), "MultiNode");
    assert.equal(engine({ worker: {} }), "MultiNode");
    assert.equal(engine({ minReplicas: 0 }), "Serverless");
    assert.equal(engine({ worker: {}, minReplicas: 0 }), "MultiNode");
    const annotated = (mode: string) => engine({ worker: {}, annotations: { "ome.io/deploymentMode": mode } });
    assert.equal(annotated("RawDeployment"), "RawDeployment");
    assert.equal(annotated("PDDisaggregated"), "MultiNode");
    assert.equal(annotated(""), "MultiNode");
    assert.equal(parseMode({ "ome.io/deploymentMode": "constructor" }), undefined);
  });
  test("M9: an engine that feeds a decoder stays awake; a decoder never sleeps", () => {
    const modes = decideModes({ engine: { minReplicas: 0 }, decoder: { minReplicas: 0 }, router: { minReplicas: 0 } });
    assert.deepEqual(modes, { engine: "RawDeployment", decoder: "RawDeployment", router: "Serverless" });
  });
});

describe("placeholders", () => {
  const metadata = {
    name: "chat",
    namespace: "team",
    labels: { tier: "gold", "a.b/c": "slash" },
    annotations: { note: "{{.Name}}" },
  };
  test("name, namespace, labels and annotations", () => {
    const filled = fillPlaceholders(
      {
        a: ["{{.Name}}-{{ .Namespace }}", "$(MODEL_PATH)", 7],
        b: '{{index .Labels "a.b/c"}} {{.Labels.tier}}{{.Labels.none}}',
        c: "{{.Annotations.note}}",
      },
      metadata,
    );
    assert.deepEqual(filled, { a: ["chat-team", "$(MODEL_PATH)", 7], b: "slash gold", c: "{{.Name}}" });
  });
  test("anything else is an error and not a secret", () => {
    for (const text of [
      "{{.Secret}}",
      "{{ range . }}",
      "{{.Labels}}",
      "{{}}",
      '{{index .Spec "x"}}',
      "{{.Labels.__proto__.x}}",
    ])
      assert.throws(() => fillPlaceholders([text], metadata), /not a valid placeholder/, text);
    assert.deepEqual(fillPlaceholders(["{{", "}}", "{ {.Name} }"], metadata), ["{{", "}}", "{ {.Name} }"]);
    assert.equal(fillPlaceholders("{{.Labels.constructor}}", metadata), "");
  });
});
