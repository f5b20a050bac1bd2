import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRunSummary } from "@trivium/engines";
import type { Kind, KubeObject, Pod } from "@trivium/kube";
import { type Reader, withParts } from "@trivium/reconcile";
import { absent, type Fact, known } from "@trivium/std";
import { defaultOptions } from "../options.ts";
import { jobNameOf } from "./names/job-name.ts";
import { observeBenchmark } from "./observe.ts";
import { type BenchmarkJob, formatFault } from "./pod/check-spec.ts";
import { planOutput } from "./pod/output.ts";
import { requestParams } from "./pod/request-params.ts";

type Spec = BenchmarkJob["spec"];
const service = { inferenceService: { name: "llama", namespace: "chat" } };
const benchmark = (spec: Partial<Spec> = {}): BenchmarkJob => ({
  apiVersion: "ome.io/v1beta1",
  kind: "BenchmarkJob",
  metadata: { name: "load", namespace: "default" },
  spec: {
    endpoint: service,
    task: "text-to-text",
    maxTimePerIteration: 1,
    maxRequestsPerIteration: 1,
    outputLocation: { storageUri: "pvc://results/runs" },
    ...spec,
  },
});

test("places of results are arguments of the tool, and secrets are none of them", () => {
  const argsOf = (storageUri: string, parameters: Record<string, string> = {}) => {
    const plan = planOutput(benchmark({ outputLocation: { storageUri, parameters } }));
    if (plan.is === "faulty") return formatFault(plan.fault);
    return [...plan.args, ...plan.env.map(({ name, value }) => `${name}=${value}`)].join(" ");
  };
  const upload = "--upload-results --storage-provider";
  for (const [uri, parameters, wanted] of [
    ["pvc://results/a/b", {}, "--experiment-base-dir /a/b"],
    ["pvc://default:results/a", {}, "--experiment-base-dir /a"],
    [
      "oci://n/ns/b/bk/o/p/q",
      { auth: "x", config_file: "c", profile: "f", security_token: "t", region: "r" },
      "--upload-results --namespace ns --storage-bucket bk --storage-prefix p/q --auth x --config-file c --profile f --security-token $(OCI_SECURITY_TOKEN) --region r OCI_SECURITY_TOKEN=t",
    ],
    ["s3://bk@eu/p", {}, `${upload} aws --storage-bucket bk --storage-prefix p --storage-aws-region eu`],
    [
      "s3://bk@eu",
      { aws_region: "us", aws_profile: "me", aws_secret_access_key: "s" },
      `${upload} aws --storage-bucket bk --storage-aws-profile me --storage-aws-region us AWS_SECRET_ACCESS_KEY=s`,
    ],
    [
      "az://acc/cont/p",
      { azure_account_key: "k" },
      `${upload} azure --storage-bucket cont --storage-prefix p --storage-azure-account-name acc AZURE_STORAGE_ACCOUNT_KEY=k`,
    ],
    [
      "gs://bk/p",
      { gcp_project_id: "id", gcp_credentials_path: "/c" },
      `${upload} gcp --storage-bucket bk --storage-prefix p --storage-gcp-project-id id --storage-gcp-credentials-path /c`,
    ],
    ["github://me/it", { github_token: "t" }, `${upload} github --github-owner me --github-repo it GITHUB_TOKEN=t`],
    ["github://me/it@v1", {}, `${upload} github --github-owner me --github-repo it --github-tag v1`],
  ] as const) {
    assert.equal(argsOf(uri, parameters), wanted, uri);
  }
  for (const uri of ["hf://a/b", "vendor://a/b/c", "local:///x", "nonsense", "pvc://other:results/a", "pvc://r/../x"])
    assert.match(argsOf(uri), /^spec\.outputLocation\.storageUri: /, uri);
});

test("parameters are what they look like", () => {
  assert.deepEqual(
    requestParams({ top_p: "0.95", n: "1", ignore_eos: "true", stop: "END", id: "007", big: "12345678901234567890" }),
    { top_p: 0.95, n: 1, ignore_eos: true, stop: "END", id: "007", big: "12345678901234567890" },
  );
});

test("the name of a Job follows the wish, and stays short", () => {
  const name = jobNameOf(benchmark());
  assert.equal(jobNameOf(benchmark()), name);
  assert.notEqual(jobNameOf(benchmark({ numConcurrency: [1] })), name);
  const long = { ...benchmark(), metadata: { name: "x".repeat(200), namespace: "default" } };
  assert.ok(jobNameOf(long).length <= 63);
});

const podSaying = (message: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { containers: [] },
  status: {
    containerStatuses: [
      {
        name: "c",
        image: "",
        imageID: "",
        ready: false,
        restartCount: 0,
        state: { terminated: { exitCode: 0, message } },
      },
    ],
  },
});

test("a termination message is a summary or nothing", () => {
  const reported = (message: string) => parseRunSummary([podSaying(message)]);
  assert.deepEqual(reported('{"requests":3,"answered":2,"best":{"concurrency":1},"more":1}'), {
    requests: 3,
    answered: 2,
    best: { concurrency: 1 },
  });
  for (const text of [
    "",
    "Traceback",
    "[]",
    "null",
    '{"requests":-1}',
    '{"answered":"many"}',
    `{"x":"${"y".repeat(5000)}"}`,
  ])
    assert.equal(reported(text), undefined, text);
});

/** A look at these objects and nothing else. */
function lookAt(objects: readonly KubeObject[], asked: unknown[] = []): Reader<Kind> {
  const find = (kind: Kind, name: string, namespace?: string): Fact<KubeObject> => {
    const found = objects.find(
      (o) => o.kind === kind.kind && o.metadata.name === name && o.metadata.namespace === namespace,
    );
    return found === undefined ? absent : known(found);
  };
  return withParts({
    get: (kind, ref) => find(kind, ref.name, ref.namespace),
    nearest: (twin, ref) =>
      twin
        .map((kind) => find(kind, ref.name, kind.namespaced ? ref.namespace : undefined))
        .find(({ is }) => is === "known") ?? absent,
    list: (kind, { namespace, labels = {} }) =>
      objects.filter(
        (o) =>
          o.kind === kind.kind &&
          o.metadata.namespace === namespace &&
          Object.entries(labels).every(([key, value]) => o.metadata.labels?.[key] === value),
      ),
    ask: (input: { name: string }, args: unknown) => {
      asked.push([input.name, args]);
      return known(["listed"]);
    },
  } as Omit<Reader<Kind>, "getPart" | "listParts">);
}

const chat = {
  apiVersion: "ome.io/v1beta1",
  kind: "InferenceService",
  metadata: { name: "llama", namespace: "chat" },
  spec: { model: { name: "m" } },
  status: { url: "http://llama.chat.svc.cluster.local", conditions: [{ type: "Ready", status: "True" }] },
} as KubeObject;
const model = {
  apiVersion: "ome.io/v1beta1",
  kind: "ClusterBaseModel",
  metadata: { name: "m" },
  spec: { storage: { storageUri: "hf://a/b", path: "/models/m" } },
} as KubeObject;
const deployment = (args: readonly string[], env: readonly object[] = []): KubeObject =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "llama-engine", namespace: "chat" },
    spec: { template: { spec: { containers: [{ name: "other" }, { name: "ome-container", args, env }] } } },
  }) as unknown as KubeObject;
const enginePod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "e",
    namespace: "chat",
    labels: { "ome.io/inferenceservice": "llama", component: "engine" },
  },
  spec: { containers: [{ name: "ome-container", ports: [{ containerPort: 9000 }] }] },
  status: { podIP: "10.0.0.7", conditions: [{ type: "Ready", status: "True" }] },
} as unknown as KubeObject;

test("what a model is called is read from its engine, and asked of it only when it does not say", () => {
  const observedName = (objects: readonly KubeObject[], asked: unknown[] = []) => {
    const observed = observeBenchmark(benchmark(), lookAt([chat, model, ...objects], asked), defaultOptions);
    return observed.service?.is === "known" ? observed.service.value.servedName : undefined;
  };
  assert.equal(observedName([deployment(["--served-model-name", "a"])]), "a");
  assert.equal(observedName([deployment(["serve --served-model-name=b --port 1"])]), "b");
  assert.equal(observedName([deployment(["--alias", "$(X)"], [{ name: "SERVED_MODEL_NAME", value: "c" }])]), "c");
  const asked: unknown[] = [];
  assert.equal(observedName([deployment([]), enginePod], asked), undefined);
  assert.deepEqual(asked, [["servedModels", { url: "http://10.0.0.7:9000" }]]);
});

test("once the Job is there nothing else is looked at", () => {
  const object = benchmark();
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: jobNameOf(object), namespace: "default" } };
  const ended = { ...job, status: { conditions: [{ type: "Failed", status: "True", message: "no" }] } } as KubeObject;
  const observed = observeBenchmark(object, lookAt([chat, model, ended]), defaultOptions);
  assert.deepEqual(observed, {
    job: known({ ended: { how: "failed", at: undefined, message: "no" } }),
    pods: [],
    claim: absent,
  });
});

test("the Job of another operator is the run, until the spec changes", () => {
  const object = { ...benchmark(), metadata: { ...benchmark().metadata, uid: "u1" } };
  const owner = { apiVersion: "ome.io/v1beta1", kind: "BenchmarkJob", name: "load", uid: "u1", controller: true };
  const job = (uid: string): KubeObject =>
    ({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: object.metadata.name, namespace: "default", ownerReferences: [{ ...owner, uid }] },
    }) as KubeObject;
  const nameOf = (details: string | undefined, found: KubeObject) => {
    const status = details === undefined ? {} : { status: { state: "Running" as const, details } };
    return observeBenchmark({ ...object, ...status }, lookAt([chat, model, found]), defaultOptions).jobName;
  };
  const run = object.metadata.name;
  assert.equal(nameOf(undefined, job("u1")), run);
  assert.equal(nameOf(JSON.stringify({ job: jobNameOf(object), run }), job("u1")), run);
  assert.equal(nameOf(JSON.stringify({ job: "of-another-spec", run }), job("u1")), undefined);
  assert.equal(nameOf(undefined, job("of another owner")), undefined);
});
