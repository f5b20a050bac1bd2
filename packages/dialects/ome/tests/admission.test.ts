import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultOptions } from "../src/options.ts";
import { AdmissionWorld, type Written } from "./admission-world.ts";

const empty = new AdmissionWorld();
const model = (name: string, extra: object = {}, namespace?: string): Written => ({
  kind: namespace === undefined ? "ClusterBaseModel" : "BaseModel",
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec: {
    storage: { storageUri: "hf://org/it" },
    modelFormat: { name: "safetensors", version: "1.0.0" },
    modelFramework: { name: "transformers" },
    ...extra,
  },
});
const entry = (extra: object = {}) => ({
  name: "safetensors",
  modelFormat: { name: "safetensors", version: "1.0.0" },
  modelFramework: { name: "transformers" },
  autoSelect: true,
  priority: 1,
  ...extra,
});
const runtime = (name: string, spec: object = {}, namespace?: string): Written => ({
  kind: namespace === undefined ? "ClusterServingRuntime" : "ServingRuntime",
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec: { supportedModelFormats: [entry()], protocolVersions: ["openAI"], ...spec },
});
const service = (spec: object, metadata: object = {}): Written => ({
  kind: "InferenceService",
  metadata: { name: "chat", namespace: "team", ...metadata },
  spec,
});
const annotated = (annotations: Record<string, string>): Written =>
  service({ model: { name: "m" }, engine: {} }, { annotations });
const mode = "ome.io/deploymentMode";
const modeOf = ({ metadata }: Written) => (metadata.annotations as Record<string, string> | undefined)?.[mode];
const configured = (data: Record<string, string>, ...others: Written[]) =>
  new AdmissionWorld([
    { kind: "ConfigMap", metadata: { name: "inferenceservice-config", namespace: "ome" }, data } as never,
    ...others,
  ]);

describe("W1: the mode of a service", () => {
  const rows: [string, object, string][] = [
    ["engine", { engine: {} }, "RawDeployment"],
    ["engine and decoder", { engine: {}, decoder: {} }, "PDDisaggregated"],
    ["leader and workers", { engine: { leader: {}, worker: { size: 2 } } }, "MultiNode"],
    ["leader and no worker", { engine: { leader: {}, worker: { size: 0 } } }, "RawDeployment"],
    ["nothing", {}, "RawDeployment"],
  ];
  for (const [name, spec, expected] of rows) {
    test(`${name}: ${expected}`, () => assert.equal(modeOf(empty.fill(service(spec))), expected));
  }
  test("what somebody wrote stays, also when it is no mode", () => {
    assert.equal(modeOf(empty.fill(annotated({ [mode]: "VirtualDeployment" }))), "VirtualDeployment");
    assert.equal(modeOf(empty.fill(annotated({ [mode]: "Cloudy" }))), "Cloudy");
    assert.match(
      String(empty.judge(annotated({ [mode]: "Cloudy" })).warnings),
      /Cloudy is not a valid deployment mode/,
    );
  });
  test("where Serverless is usual, nothing is written", () => {
    const world = configured({ deploy: '{"defaultDeploymentMode": "Serverless"}' });
    assert.equal(modeOf(world.fill(service({ engine: {} }))), undefined);
    assert.equal(modeOf(configured({ deploy: "{" }).fill(service({ engine: {} }))), "RawDeployment");
  });
  test("what was filled in follows the shape", () => {
    const old = empty.fill(service({ engine: {} }));
    const next = { ...old, spec: { engine: {}, decoder: {} } };
    assert.equal(modeOf(empty.fill(next, old)), "PDDisaggregated");
    const chosen = annotated({ [mode]: "MultiNode" });
    assert.equal(modeOf(empty.fill({ ...chosen, spec: { engine: {}, decoder: {} } }, chosen)), "MultiNode");
  });
  test("filling in twice is filling in once, and changes nothing in place", () => {
    const written = service({ engine: {} });
    const once = empty.fill(Object.freeze(written));
    assert.deepEqual(empty.fill(once), once);
  });
});

describe("W2: replicas", () => {
  test("are left to the runtime, which they would overrule", () => {
    const { spec } = empty.fill(service({ engine: {}, decoder: {}, router: {} }));
    assert.deepEqual(spec, { engine: {}, decoder: {}, router: {} });
  });
});

describe("W3, W4: the older form", () => {
  const old = service({ predictor: { model: { baseModel: "m", runtime: "r" }, minReplicas: 2 } });
  test("is marked once, and only when it says anything", () => {
    const annotations = empty.fill(old).metadata.annotations as Record<string, string>;
    assert.match(annotations["ome.io/deprecation-warning"] ?? "", /deprecated/);
    const own = { ...old, metadata: { ...old.metadata, annotations: { "ome.io/deprecation-warning": "mine" } } };
    assert.equal(
      (empty.fill(own).metadata.annotations as Record<string, string>)["ome.io/deprecation-warning"],
      "mine",
    );
    assert.deepEqual(Object.keys(empty.fill(service({ predictor: {} })).metadata.annotations ?? {}), [mode]);
    for (const field of ["containers", "volumes", "tolerations"]) {
      const { annotations = {} } = empty.fill(service({ predictor: { [field]: [] } })).metadata;
      assert.ok(Object.hasOwn(annotations as object, "ome.io/deprecation-warning"), field);
    }
  });
  test("is stored as it is, or rewritten where that is wished for", () => {
    assert.deepEqual(empty.fill(old).spec, old.spec);
    const world = new AdmissionWorld([], { ...defaultOptions, predictor: "rewrite" });
    assert.deepEqual(world.fill(old).spec, {
      engine: { minReplicas: 2 },
      model: { name: "m" },
      runtime: { name: "r" },
    });
    const both = service({ engine: {}, predictor: { minReplicas: 2 } });
    assert.deepEqual(world.fill(both).spec, { engine: {} });
  });
});

describe("W5: names", () => {
  for (const name of ["abc", "a-1", "a", `a${"b".repeat(200)}`]) {
    test(`${name.slice(0, 9)}: taken`, () => {
      assert.deepEqual(empty.judge(service({ engine: {}, model: { name: "m" } }, { name })).faults, []);
    });
  }
  for (const name of ["Abc", "a_b", "1a", "a-", "a.b", `a${"b".repeat(250)}`]) {
    test(`${name.slice(0, 9)}: refused`, () => {
      assert.match(String(empty.judge(service({}, { name })).faults), /^metadata.name: Invalid value/);
    });
  }
  test("a service of a bad name that is there already can still be changed and deleted", () => {
    const stored = service({ engine: {}, model: { name: "m" } }, { name: "1a" });
    assert.deepEqual(empty.judge({ ...stored, spec: { engine: { minReplicas: 2 } } }, stored).faults.length, 1);
    assert.deepEqual(empty.judge({ ...stored, spec: { model: { name: "n" }, engine: {} } }, stored).faults, []);
    const going = { ...stored, metadata: { ...stored.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    assert.deepEqual(empty.judge({ ...going, spec: { decoder: {} } }, stored).faults, []);
  });
});

describe("W6, W7, W8: words of scaling", () => {
  const cls = "ome.io/autoscalerClass";
  const good: Record<string, string>[] = [
    {},
    { [cls]: "hpa" },
    { [cls]: "hpa", "ome.io/metrics": "memory" },
    { [cls]: "keda", "ome.io/metrics": "whatever" },
    { [cls]: "external" },
    { "ome.io/targetUtilizationPercentage": "50" },
    { "autoscaling.keda.sh/operator": "GreaterThan", "autoscaling.keda.sh/threshold": "1.5e3" },
    { "autoscaling.keda.sh/prometheus.serverAddress": "https://prometheus.example:9090/x" },
  ];
  for (const annotations of good) {
    test(`taken: ${JSON.stringify(annotations)}`, () =>
      assert.deepEqual(empty.judge(annotated(annotations)).faults, []));
  }
  const bad: Record<string, string>[] = [
    { [cls]: "magic" },
    { "ome.io/metrics": "gpu" },
    { "ome.io/targetUtilizationPercentage": "0" },
    { "ome.io/targetUtilizationPercentage": "101" },
    { "ome.io/targetUtilizationPercentage": "abc" },
    { "autoscaling.keda.sh/operator": "More" },
    { "autoscaling.keda.sh/threshold": "ten" },
    { "autoscaling.keda.sh/prometheus.serverAddress": "prometheus:9090" },
    { "autoscaling.keda.sh/prometheus.serverAddress": "http://user:secret@prometheus" },
  ];
  for (const annotations of bad) {
    const [key = ""] = Object.keys(annotations);
    test(`refused: ${JSON.stringify(annotations)}`, () => {
      const { faults } = empty.judge(annotated(annotations));
      assert.equal(faults.length, 1);
      assert.ok(faults[0]?.startsWith(`metadata.annotations[${key}]: `), faults[0]);
      const component = empty.judge(service({ model: { name: "m" }, engine: { annotations } })).faults;
      assert.ok(component[0]?.startsWith(`spec.engine.annotations[${key}]: `), component[0]);
      assert.doesNotMatch(String([faults, component]), /secret/);
    });
  }
  test("settings of KEDA, of the service and of a component", () => {
    const keda = {
      scalingOperator: "More",
      scalingThreshold: "x",
      promServerAddress: "ftp://x",
      authModes: "tls, magic",
    };
    const { faults } = empty.judge(service({ model: { name: "m" }, engine: { kedaConfig: keda }, kedaConfig: keda }));
    assert.deepEqual(
      faults.map((fault) => fault.split(":", 1)[0]),
      ["spec.kedaConfig", "spec.engine.kedaConfig"].flatMap((at) =>
        ["scalingOperator", "scalingThreshold", "promServerAddress", "authModes"].map((field) => `${at}.${field}`),
      ),
    );
    const plain = empty.judge(service({ model: { name: "m" }, engine: {}, kedaConfig: { authModes: "basic,bearer" } }));
    assert.deepEqual(plain.faults, []);
    assert.match(String(plain.warnings), /authModes has no effect without authenticationRef/);
  });
});

describe("what a service refers to", () => {
  const rows: [string, object, RegExp | undefined][] = [
    ["kinds and groups that exist", { runtime: { name: "r", kind: "ServingRuntime", apiGroup: "ome.io" } }, undefined],
    ["nothing written", { runtime: { name: "r", kind: "", apiGroup: "" } }, undefined],
    [
      "another kind of runtime",
      { runtime: { name: "r", kind: "Deployment" } },
      /^spec.runtime.kind: Unsupported value: "Deployment": supported values: "ServingRuntime", "ClusterServingRuntime"/,
    ],
    [
      "another group of runtime",
      { runtime: { name: "r", apiGroup: "serving.kserve.io" } },
      /^spec.runtime.apiGroup: Unsupported value/,
    ],
    ["another kind of model", { model: { name: "m", kind: "Model" } }, /^spec.model.kind: Unsupported value/],
    [
      "another group of model",
      { model: { name: "m", apiGroup: "inference.llmkube.dev" } },
      /^spec.model.apiGroup: Unsupported value/,
    ],
    ["a tag", { predictor: { model: { baseModel: "m", runtimeVersion: "v1.2-cuda" } } }, undefined],
    [
      "no tag",
      { predictor: { model: { baseModel: "m", runtimeVersion: "v1/../x" } } },
      /^spec.predictor.model.runtimeVersion: Invalid value/,
    ],
    [
      "a negative time",
      { engine: { timeoutSeconds: -1 } },
      /^spec.engine.timeoutSeconds: Invalid value: -1: must not be negative/,
    ],
  ];
  for (const [name, spec, expected] of rows)
    test(name, () => {
      const { faults } = empty.judge(service({ model: { name: "m" }, ...spec }));
      if (expected === undefined) assert.deepEqual(faults, []);
      else assert.match(faults.join(), expected);
    });
});

describe("accelerators: what has no effect or does not exist is a warning", () => {
  const constraints = { minMemory: 40 };
  const rows: [string, object, string[]][] = [
    ["a policy", { acceleratorSelector: { policy: "Cheapest", constraints } }, []],
    [
      "constraints without a policy",
      { acceleratorSelector: { constraints } },
      ["spec.acceleratorSelector.constraints has no effect without a policy; set spec.acceleratorSelector.policy"],
    ],
    [
      "constraints of the service with the policy of a component",
      { acceleratorSelector: { constraints }, engine: { acceleratorOverride: { policy: "BestFit" } } },
      [],
    ],
    [
      "a class that does not exist",
      { acceleratorSelector: { acceleratorClass: "h100" } },
      ["AcceleratorClass h100 not found; only the overrides of the runtime apply until it is created"],
    ],
  ];
  for (const [name, spec, expected] of rows)
    test(name, () => {
      const { warnings } = empty.judge(service({ model: { name: "m" }, ...spec }));
      assert.deepEqual(
        warnings.filter((one) => /accelerator/i.test(one)),
        expected,
      );
    });
});

describe("W9, W11: what a service must bring", () => {
  const image = { runner: { name: "ome-container", image: "x" } };
  const rows: [string, object, RegExp | undefined][] = [
    ["decoder alone", { decoder: {}, model: { name: "m" } }, /^spec.decoder: Forbidden/],
    ["engine alone", { engine: {} }, /^spec.model.name: Required value/],
    ["engine and model", { engine: {}, model: { name: "m" } }, undefined],
    ["engine and runtime", { engine: {}, runtime: { name: "r" } }, undefined],
    ["engine with an image", { engine: image }, undefined],
    ["leader and worker with images", { engine: { leader: image, worker: { size: 1, ...image } } }, undefined],
    ["only the leader has one", { engine: { leader: image, worker: { size: 1 } } }, /^spec.model.name: Required value/],
    ["a predictor with a model", { predictor: { model: { baseModel: "m" } } }, undefined],
  ];
  for (const [name, spec, expected] of rows) {
    test(name, () => {
      const { faults } = empty.judge(service(spec));
      if (expected === undefined) assert.deepEqual(faults, []);
      else assert.match(String(faults), expected);
    });
  }
});

describe("W10, W12: what may come later is only warned of", () => {
  const wanted = service({ engine: {}, model: { name: "m" } });
  const warningsIn = (objects: readonly Written[], written = wanted) => {
    const { faults, warnings } = new AdmissionWorld(objects).judge(written);
    assert.deepEqual(faults, []);
    return String(warnings);
  };
  test("no model", () => assert.match(warningsIn([]), /model m not found; the service waits/));
  test("a model of another namespace", () => assert.match(warningsIn([model("m", {}, "others")]), /not found/));
  test("a disabled model", () => assert.match(warningsIn([model("m", { disabled: true })]), /m is disabled/));
  test("no runtime", () => assert.match(warningsIn([model("m")]), /m is not ready yet; currently: No runtime/));
  test("another version", () => {
    const other = runtime("r", { supportedModelFormats: [entry({ modelFormat: { name: "onnx" } })] });
    assert.match(
      warningsIn([{ ...model("m"), status: { state: "Ready" } } as never, other]),
      /^No runtime supports model m/,
    );
  });
  test("a format that is unknown once the model was inspected, and not before", () => {
    const unnamed = model("m", { modelFormat: undefined });
    const failed = { ...unnamed, status: { state: "Failed" } } as never;
    assert.match(warningsIn([failed, runtime("r")]), /modelFormat.name is not set/);
    for (const early of [unnamed, { ...unnamed, status: { state: "In_Transit" } } as never])
      assert.equal(warningsIn([early, runtime("r")]), "");
  });
  test("the runtime that will be chosen, the namespace's before the cluster's", () => {
    assert.equal(warningsIn([model("m"), runtime("r")]), "Runtime r will be auto-selected for model m");
    const both = [model("m"), runtime("a"), runtime("own", {}, "team")];
    assert.equal(warningsIn(both), "Runtime own will be auto-selected for model m");
  });
  test("a runtime that is named and not there, disabled, or there", () => {
    const named = service({ engine: {}, model: { name: "m" }, runtime: { name: "r" } });
    assert.match(warningsIn([model("m")], named), /Runtime r not found/);
    assert.match(warningsIn([model("m"), runtime("r", { disabled: true })], named), /r is disabled/);
    assert.equal(warningsIn([model("m"), runtime("r")], named), "");
  });
  test("weights", () => {
    const tuned = service({ engine: {}, model: { name: "m", fineTunedWeights: ["w"] } });
    assert.match(warningsIn([model("m"), runtime("r")], tuned), /FineTunedWeight w not found/);
  });
  test("a change elsewhere does not repeat it", () => {
    const world = new AdmissionWorld([model("m"), runtime("r")]);
    const next = service({ engine: { minReplicas: 2 }, model: { name: "m" } });
    assert.deepEqual(world.judge(next, wanted), { faults: [], warnings: [] });
  });
  test("before the watches have seen everything nothing is made up", () => {
    assert.deepEqual(new AdmissionWorld("dark").judge(wanted), { faults: [], warnings: [] });
  });
  test("fewer at most than at least", () => {
    const odd = service({ engine: { minReplicas: 5, maxReplicas: 2 }, model: { name: "m" } });
    assert.match(warningsIn([model("m")], odd), /spec.engine.maxReplicas 2 is less than minReplicas 5; 5 is used/);
  });
  test("an address that cannot be", () => {
    const world = configured({ ingress: '{"disableIngressCreation": false, "domainTemplate": "{{ .Name }}"}' });
    assert.match(String(world.judge(wanted).warnings), /no route will be created: "chat" is not a fully qualified/);
  });
});

describe("W14, W16: runtimes by themselves", () => {
  const containers = (value: string) => [{ name: "c", env: [{ name: "DEPLOYMENT_MODE", value }] }];
  const rows: [string, object, RegExp | undefined][] = [
    ["empty", {}, undefined],
    ["prefill and decode", { engineConfig: {}, decoderConfig: {}, workers: { size: 0 } }, undefined],
    ["several nodes", { containers: containers("MultiNode"), workers: { size: 2 } }, undefined],
    [
      "no worker",
      { containers: containers("MultiNode"), workers: { size: 0 } },
      /^spec.workers.size: Invalid value: 0/,
    ],
    ["less than none", { workers: { size: -1 } }, /^spec.workers.size: Invalid value: -1/],
    ["raw with workers", { containers: containers("RawDeployment"), workers: { size: 1 } }, /^spec.workers: Forbidden/],
    ["several nodes without workers", { containers: containers("MultiNode") }, /^spec.containers: Forbidden/],
    ["disabled", { disabled: true, workers: { size: 0 } }, undefined],
    [
      "two priorities",
      { supportedModelFormats: [entry(), entry({ priority: 2 })] },
      /\[1\].priority: Invalid value: 2/,
    ],
    [
      "two of which one is not chosen",
      { supportedModelFormats: [entry(), entry({ priority: 2, autoSelect: false })] },
      undefined,
    ],
  ];
  for (const [name, spec, expected] of rows) {
    for (const namespace of [undefined, "team"]) {
      test(`${name}, ${namespace ?? "cluster"}`, () => {
        const { faults } = empty.judge(runtime("r", spec, namespace));
        if (expected === undefined) assert.deepEqual(faults, []);
        else assert.match(String(faults), expected);
      });
    }
  }
  test("W17: classes of accelerators that do not exist are warned of", () => {
    const { faults, warnings } = empty.judge(
      runtime("r", { acceleratorRequirements: { acceleratorClasses: ["a", "b"] } }),
    );
    assert.deepEqual(faults, []);
    assert.deepEqual(warnings, [
      "AcceleratorClass a not found; no policy can select it until it is created",
      "AcceleratorClass b not found; no policy can select it until it is created",
    ]);
  });
});

describe("W15: runtimes beside each other", () => {
  const one = runtime("one");
  const rows: [string, Written, boolean][] = [
    ["the same", runtime("two"), true],
    ["itself", runtime("one"), false],
    ["disabled", runtime("two", { disabled: true }), false],
    ["another format", runtime("two", { supportedModelFormats: [entry({ modelFormat: { name: "onnx" } })] }), false],
    ["not chosen", runtime("two", { supportedModelFormats: [entry({ autoSelect: false })] }), false],
    ["no priority", runtime("two", { supportedModelFormats: [entry({ priority: undefined })] }), false],
    ["another priority", runtime("two", { supportedModelFormats: [entry({ priority: 2 })] }), false],
    ["a version", runtime("two", { supportedModelFormats: [entry({ version: "1" })] }), false],
    ["an architecture", runtime("two", { supportedModelFormats: [entry({ modelArchitecture: "X" })] }), false],
    ["another framework", runtime("two", { supportedModelFormats: [entry({ modelFramework: { name: "x" } })] }), false],
    ["a range", runtime("two", { modelSizeRange: { min: "1B" } }), false],
    ["another protocol", runtime("two", { protocolVersions: ["cohere"] }), false],
    ["another scope", runtime("two", {}, "team"), false],
  ];
  for (const [name, other, expected] of rows) {
    test(`${name}: ${expected ? "told" : "nothing to tell"}`, () => {
      const { faults, warnings } = new AdmissionWorld([other]).judge(one);
      assert.deepEqual(faults, []);
      assert.equal(/same priority/.test(String(warnings)), expected);
    });
  }
});

describe("W18, W19: benchmarks", () => {
  const job = (extra: object): Written => ({
    kind: "BenchmarkJob",
    metadata: { name: "b", namespace: "team" },
    spec: {
      endpoint: { endpoint: { url: "http://x", apiFormat: "openai" } },
      task: "text-to-text",
      maxTimePerIteration: 1,
      maxRequestsPerIteration: 1,
      outputLocation: { storageUri: "oci://n/a/b/c/o/d" },
      ...extra,
    },
  });
  const rows: [string, object, RegExp | undefined][] = [
    ["well", {}, undefined],
    ["no endpoint", { endpoint: {} }, /^spec.endpoint: /],
    [
      "two",
      { endpoint: { endpoint: { url: "http://x" }, inferenceService: { name: "a", namespace: "b" } } },
      /^spec.endpoint: /,
    ],
    ["a scenario", { trafficScenarios: ["D(100,100)", "X(1)"] }, /^spec.trafficScenarios: /],
    ["temperature", { additionalRequestParams: { temperature: "abc" } }, /^spec.additionalRequestParams.temperature: /],
    [
      "no place for results",
      { outputLocation: { storageUri: "" } },
      /^spec.outputLocation.storageUri: .*must not be empty/,
    ],
    [
      "a bad place",
      { outputLocation: { storageUri: "oci://n/a/b/c" } },
      /^spec.outputLocation.storageUri: .*expected oci/,
    ],
    ["the hub", { outputLocation: { storageUri: "hf://a/b" } }, /results cannot be stored in hf/],
    ["embeddings without scenarios", { task: "text-to-embeddings" }, undefined],
    ["embeddings", { task: "text-to-embeddings", trafficScenarios: ["E(128)"] }, undefined],
  ];
  for (const [name, extra, expected] of rows) {
    test(name, () => {
      const { faults } = empty.judge(job(extra));
      if (expected === undefined) assert.deepEqual(faults, []);
      else assert.match(String(faults), expected);
    });
  }
  test("credentials in an address are not repeated", () => {
    const storageUri = "https://user:hunter2@host/x";
    const faults = String(empty.judge(job({ outputLocation: { storageUri }, dataset: { storageUri } })).faults);
    assert.match(
      faults,
      /spec.outputLocation.storageUri: Invalid value: "https:\/\/host\/x": .*spec.dataset.storageUri: /,
    );
    assert.doesNotMatch(faults, /hunter2/);
  });
  test("what is odd is told", () => {
    const parameters = { aws_secret_access_key: "hunter2" };
    const spec = {
      outputLocation: { storageUri: "s3://b/x", parameters },
      additionalRequestParams: { temperature: "1.9" },
    };
    const { warnings } = empty.judge(job({ ...spec, endpoint: { inferenceService: { name: "a", namespace: "b" } } }));
    assert.match(String(warnings), /b\/a not found.*aws_secret_access_key.*temperature 1.9/);
    assert.doesNotMatch(String(warnings), /hunter2/);
  });
});

describe("models and weights", () => {
  const at = (storageUri: string, path?: string) => ({
    storage: { storageUri, ...(path === undefined ? {} : { path }) },
  });
  const weight = (spec: object): Written => ({
    kind: "FineTunedWeight",
    metadata: { name: "w" },
    spec: { baseModelRef: { name: "m" }, hyperParameters: { strategy: "lora" }, ...spec },
  });
  const user = (name: string, namespace: string, extra: object = {}) =>
    service({ engine: {}, model: { name: "m", ...extra } }, { name, namespace });

  test("credentials in an address are not repeated", () => {
    for (const bad of [
      "https://user:hunter2@host/x?sig=hunter2",
      "ftp://user:hunter2@host/x",
      "hf://user:hunter2@org/repo",
    ])
      for (const one of [model("m", at(bad)), weight(at(bad))]) {
        const faults = String(empty.judge(one).faults);
        assert.match(faults, /^spec.storage.storageUri: Invalid value: "[a-z]+:\/\/(host\/x|org\/repo)": /);
        assert.doesNotMatch(faults, /hunter2/);
      }
  });

  test("addresses and paths", () => {
    for (const bad of ["ftp://x", "hf://", "oci://n/a/b/c", "pvc://claim", "hf://a/../b\u0000"])
      for (const one of [model("m", at(bad)), weight(at(bad))])
        assert.match(String(empty.judge(one).faults), /^spec.storage.storageUri: Invalid value/, bad);
    assert.match(String(empty.judge(model("m", at("hf://a/b", "models/x"))).faults), /^spec.storage.path: .*absolute/);
    assert.match(
      String(empty.judge(model("m", at("pvc://claim/x"))).faults),
      /must use the form pvc:\/\/\{namespace\}/,
    );
    assert.match(String(empty.judge(model("m", at("pvc://b:claim/x"), "a")).faults), /claims in its own namespace a/);
    for (const good of [
      "oci://n/a/b/c/o/d",
      "vendor://a/b/c",
      "pvc://a:claim/x",
      "hf://a/b@main",
      "s3://b/x",
      "local:///x",
    ])
      assert.deepEqual(empty.judge(model("m", at(good))).faults, [], good);
  });
  test("the kind of storage stays while somebody serves it", () => {
    const [before, after] = [model("m", at("hf://a/b")), model("m", at("s3://a/b"))];
    const world = new AdmissionWorld([user("one", "a"), user("two", "b"), user("hidden", "c"), model("m", {}, "c")]);
    assert.match(
      String(world.judge(after, before).faults),
      /cannot change from hf:\/\/ to s3:\/\/ while in use by a\/one, b\/two;/,
    );
    assert.deepEqual(world.judge(model("m", at("hf://a/c")), before).faults, []);
    assert.deepEqual(empty.judge(after, before).faults, []);
    assert.deepEqual(world.judge(model("n", at("s3://a/b")), model("n", at("hf://a/b"))).faults, []);
  });
  test("deletion is warned of, and never refused", () => {
    const world = new AdmissionWorld([
      user("one", "a", { fineTunedWeights: ["w"] }),
      user("two", "a", { kind: "BaseModel" }),
    ]);
    assert.deepEqual(world.judgeDeletion(model("m")).faults, []);
    assert.match(String(world.judgeDeletion(model("m")).warnings), /^still used by InferenceService a\/one;/);
    assert.match(String(world.judgeDeletion(model("m", {}, "a")).warnings), /a\/one, a\/two/);
    assert.match(String(world.judgeDeletion(weight(at("hf://a/b"))).warnings), /a\/one/);
    assert.deepEqual(world.judgeDeletion(model("n")).warnings, []);
    const named = service({ engine: {}, runtime: { name: "r" } });
    assert.match(String(new AdmissionWorld([named]).judgeDeletion(runtime("r")).warnings), /team\/chat/);
  });
  test("weights of a model that is not there, and without a strategy", () => {
    const { faults, warnings } = empty.judge(weight({ ...at("hf://a/b"), hyperParameters: {} }));
    assert.deepEqual(faults, []);
    assert.match(String(warnings), /model m not found.*strategy is not set/);
  });
});
