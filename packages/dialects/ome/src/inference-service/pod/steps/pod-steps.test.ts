import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PodPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import type { AgentSettings, Configuration } from "../../../configuration/index.ts";
import type { ObservedModel } from "../../observed/model.ts";
import { type PodStepContext, PodStepRefusal, takePodSteps } from "./index.ts";

const mounted: api.VolumeMount = { name: "model", mountPath: "/models/m", readOnly: true };
const pod = (annotations: Record<string, string>, container: Partial<api.Container> = {}): PodPlan => ({
  labels: {},
  annotations,
  spec: {
    containers: [
      {
        name: "ome-container",
        env: [{ name: "MODEL_PATH", value: "/models/m" }],
        ports: [{ containerPort: 9000 }],
        volumeMounts: [mounted],
        ...container,
      },
      { name: "other" },
    ],
    volumes: [{ name: "model", hostPath: { path: "/models/m" } }],
  },
});
const model = (format = "safetensors"): ObservedModel => ({
  name: "m",
  scope: "cluster",
  place: { is: "faulty", field: "path", detail: "", why: "" },
  traits: { modelFormat: { name: format, version: "1.2" }, modelFramework: { name: "transformers", version: "4.5" } },
  isDisabled: false,
  nodesReady: [],
  nodesFailed: [],
  storage: { storageUri: "hf://a/b" },
});
const context = (extra: Partial<PodStepContext> = {}): PodStepContext => ({
  component: "engine",
  spec: {},
  model: model(),
  mount: { path: "/models/m", volume: { name: "model" }, mount: mounted, nodes: {} } as never,
  main: "ome-container",
  ...extra,
});
const configured = (configuration: Partial<Configuration>): PodStepContext =>
  context({ configuration: { faults: {}, ...configuration } });
const take = (plan: PodPlan, given = context()): PodPlan => {
  const taken = takePodSteps(plan, given);
  assert.deepEqual(takePodSteps(taken, given), taken, "twice is once");
  return taken;
};
const mainOf = ({ spec }: PodPlan): api.Container => spec.containers[0] as api.Container;
const variable = (container: api.Container | undefined, name: string): string | undefined =>
  container?.env?.find((one) => one.name === name)?.value;

test("W23: a pod that nobody asks anything for is left as it is", () => {
  const plain = pod({});
  assert.equal(take(plain), plain);
});

describe("W20: RDMA", () => {
  const asked = { "rdma.ome.io/auto-inject": "true" };
  test("the usual profile in the usual container", () => {
    const taken = take(pod(asked));
    const main = mainOf(taken);
    assert.equal(variable(main, "NCCL_IB_HCA")?.slice(0, 25), "=mlx5_0,mlx5_1,mlx5_3,mlx");
    assert.deepEqual(
      main.env?.slice(1).map(({ name }) => name),
      main.env
        ?.slice(1)
        .map(({ name }) => name)
        .sort(),
    );
    assert.deepEqual(
      taken.spec.volumes?.map(({ name }) => name),
      ["model", "devinf", "dshm"],
    );
    assert.deepEqual(main.securityContext, { privileged: true, capabilities: { add: ["IPC_LOCK", "SYS_ADMIN"] } });
    assert.deepEqual(taken.spec.containers[1], { name: "other" });
  });
  test("another container, and one that is not there", () => {
    const other = take(pod({ ...asked, "rdma.ome.io/container-name": "other" }));
    assert.equal(variable(other.spec.containers[1], "UCX_TLS"), "tcp");
    const missing = pod({ ...asked, "rdma.ome.io/container-name": "none" });
    assert.equal(take(missing), missing);
  });
  test("what the user says stays, and is said once", () => {
    const taken = take(
      pod(asked, {
        env: [{ name: "NCCL_DEBUG", value: "WARN" }],
        securityContext: { privileged: false, runAsUser: 7, capabilities: { add: ["IPC_LOCK"], drop: ["NET_RAW"] } },
        volumeMounts: [{ name: "mine", mountPath: "/dev/shm" }],
      }),
    );
    const main = mainOf(taken);
    assert.deepEqual(
      main.env?.filter(({ name }) => name === "NCCL_DEBUG"),
      [{ name: "NCCL_DEBUG", value: "WARN" }],
    );
    assert.deepEqual(main.securityContext, {
      privileged: false,
      runAsUser: 7,
      capabilities: { add: ["IPC_LOCK", "SYS_ADMIN"], drop: ["NET_RAW"] },
    });
    assert.deepEqual(
      taken.spec.volumes?.map(({ name }) => name),
      ["model", "devinf"],
    );
  });
  test("an unknown profile is refused; a router is left alone unless it asks itself", () => {
    for (const profile of ["aws-efa", "constructor"])
      assert.throws(() => take(pod({ ...asked, "rdma.ome.io/profile": profile })), PodStepRefusal);
    const router = pod(asked);
    assert.equal(take(router, context({ component: "router" })), router);
    const own = take(router, context({ component: "router", spec: { annotations: asked } }));
    assert.equal(variable(mainOf(own), "UCX_TLS"), "tcp");
  });
});

const agent: AgentSettings = {
  image: "agent:1",
  authType: "InstancePrincipal",
  compartmentId: "c",
  vaultId: "v",
  region: "r",
  memoryRequest: "1Gi",
  cpuLimit: "2",
  extraEnvVars: [{ name: "EXTRA", value: "1" }],
  extraVolumeMounts: [{ name: "keys", mountPath: "/keys" }],
};

describe("W21: decryption before serving", () => {
  const asked = {
    "ome.io/inject-model-init": "true",
    "ome.io/base-model-decryption-key-name": "key",
    "ome.io/base-model-decryption-secret-name": "secret",
  };
  const ready = configured({ modelInit: agent });
  test("the model is read where it was decrypted to", () => {
    const { spec } = take(pod(asked, { securityContext: { runAsUser: 7 } }), ready);
    const [init] = spec.initContainers ?? [];
    assert.deepEqual(init, {
      name: "model-init",
      image: "agent:1",
      args: ["enigma", "--config", "/ome-agent.yaml", "--debug"],
      env: [
        { name: "OME_AGENT_AUTH_TYPE", value: "InstancePrincipal" },
        { name: "OME_AGENT_COMPARTMENT_ID", value: "c" },
        { name: "OME_AGENT_VAULT_ID", value: "v" },
        { name: "OME_AGENT_MODEL_NAME", value: "m" },
        { name: "OME_AGENT_KEY_NAME", value: "key" },
        { name: "OME_AGENT_SECRET_NAME", value: "secret" },
        { name: "OME_AGENT_DISABLE_MODEL_DECRYPTION", value: "false" },
        { name: "OME_AGENT_MODEL_TYPE", value: "Serving" },
        { name: "OME_AGENT_LOCAL_PATH", value: "/mnt/model" },
        { name: "OME_AGENT_MODEL_STORE_DIRECTORY", value: "/opt/ml/model" },
        { name: "OME_AGENT_REGION", value: "r" },
        { name: "OME_AGENT_MODEL_FRAMEWORK", value: "safetensors" },
        { name: "EXTRA", value: "1" },
      ],
      volumeMounts: [
        { name: "model-empty-dir", mountPath: "/opt/ml/model" },
        { name: "model", mountPath: "/mnt/model", readOnly: true },
        { name: "keys", mountPath: "/keys" },
      ],
      terminationMessagePolicy: "FallbackToLogsOnError",
      securityContext: { runAsUser: 7 },
      resources: { requests: { memory: "1Gi" }, limits: { cpu: "2" } },
    });
    const [main] = spec.containers;
    assert.equal(variable(main, "MODEL_PATH"), "/opt/ml/model");
    assert.deepEqual(main?.volumeMounts, [{ name: "model-empty-dir", mountPath: "/opt/ml/model" }]);
    assert.deepEqual(spec.volumes?.at(-1), { name: "model-empty-dir", emptyDir: { medium: "Memory" } });
  });
  test("TensorRT-LLM is told its version and the number of GPUs, and needs one", () => {
    const given = { ...ready, model: model("TensorRT-LLM") };
    const { spec } = take(pod(asked, { resources: { limits: { "nvidia.com/gpu": "4" } } }), given);
    const [init] = spec.initContainers ?? [];
    assert.deepEqual(
      ["MODEL_FRAMEWORK", "TENSORRTLLM_VERSION", "NUM_OF_GPU"].map((name) => variable(init, `OME_AGENT_${name}`)),
      ["tensorrtllm", "1.2", "4"],
    );
    assert.throws(() => take(pod(asked), given), /nvidia.com\/gpu/);
  });
  test("a model that is not encrypted is served from where it is: the agent copies nothing then", () => {
    const { spec } = take(pod({ ...asked, "ome.io/disable-model-decryption": "true" }), ready);
    assert.equal(variable(spec.initContainers?.[0], "OME_AGENT_DISABLE_MODEL_DECRYPTION"), "true");
    assert.equal(variable(spec.containers[0], "MODEL_PATH"), "/models/m");
    assert.deepEqual(spec.containers[0]?.volumeMounts, [mounted]);
  });
  test("it comes before whatever else begins the pod", () => {
    const plan = pod(asked);
    const taken = take({ ...plan, spec: { ...plan.spec, initContainers: [{ name: "fine-tuned-adapter" }] } }, ready);
    assert.deepEqual(
      taken.spec.initContainers?.map(({ name }) => name),
      ["model-init", "fine-tuned-adapter"],
    );
  });
  test("without settings, or an account for the identity, it is refused in words", () => {
    assert.throws(
      () => take(pod(asked)),
      /key modelInit of ConfigMap .* must set image, compartmentId, authType, vaultId/,
    );
    const { vaultId: _, ...poor } = agent;
    assert.throws(() => take(pod(asked), configured({ modelInit: poor })), /must set vaultId/);
    const identity = configured({ modelInit: { ...agent, authType: "OkeWorkloadIdentity" } });
    assert.throws(() => take(pod(asked), identity), /serviceAccountName/);
    const plan = pod(asked);
    const taken = take({ ...plan, spec: { ...plan.spec, serviceAccountName: "me" } }, identity);
    assert.equal(taken.spec.automountServiceAccountToken, true);
  });
});

describe("the serving sidecar", () => {
  const asked = { "ome.io/inject-serving-sidecar": "true", "ome.io/fine-tuned-weight-ft-strategy": "lora" };
  test("shares a folder with the container that serves", () => {
    const { spec } = take(pod(asked, { securityContext: { runAsUser: 7 } }), configured({ servingSidecar: agent }));
    const sidecar = spec.containers.find(({ name }) => name === "serving-sidecar");
    assert.deepEqual(sidecar?.securityContext, { runAsUser: 7 });
    assert.equal(sidecar?.terminationMessagePolicy, "FallbackToLogsOnError");
    assert.equal(variable(sidecar, "OME_AGENT_FINE_TUNED_WEIGHT_INFO_FILE_PATH"), "/opt/ml/lora/weights.json");
    assert.deepEqual(mainOf({ spec } as PodPlan).volumeMounts?.at(-1), {
      name: "model-empty-dir",
      mountPath: "/opt/ml/lora",
      subPath: "finetuned",
      readOnly: true,
    });
  });
  test("needs a strategy that is a plain word", () => {
    for (const strategy of ["", "../x", "a/b"]) {
      const odd = pod({ ...asked, "ome.io/fine-tuned-weight-ft-strategy": strategy });
      assert.throws(() => take(odd, configured({ servingSidecar: agent })), PodStepRefusal);
    }
  });
});

describe("W22: where metrics are", () => {
  const request = (aggregation: "true" | "false", scraping: "true" | "false") =>
    configured({ metrics: { aggregation, scraping } });
  const keys = (plan: PodPlan) => plan.annotations;
  test("as the administrator says, unless the pod says otherwise", () => {
    assert.deepEqual(keys(take(pod({}), request("false", "false"))), {
      "ome.io/enable-metric-aggregation": "false",
      "ome.io/enable-prometheus-scraping": "false",
    });
    const own = take(pod({ "ome.io/enable-prometheus-scraping": "false" }), request("true", "true"));
    assert.equal(keys(own)["prometheus.io/port"], undefined);
    assert.equal(keys(own)["ome.io/enable-metric-aggregation"], "true");
  });
  test("a pod is asked where it serves; one of Knative through its proxy", () => {
    const plain = keys(take(pod({}), request("false", "true")));
    assert.deepEqual([plain["prometheus.io/port"], plain["prometheus.io/path"]], ["9000", "/metrics"]);
    const reported = keys(
      take(pod({ "prometheus.ome.io/port": "9400", "prometheus.ome.io/path": "/m" }), request("false", "true")),
    );
    assert.deepEqual([reported["prometheus.io/port"], reported["prometheus.io/path"]], ["9400", "/m"]);
    const knative = (aggregation: "true" | "false") =>
      keys(take(pod({}), { ...request(aggregation, "true"), mode: "Serverless" }))["prometheus.io/port"];
    assert.deepEqual([knative("false"), knative("true")], ["9091", "9088"]);
  });
  test("a proxy in the pod gathers", () => {
    const plan = pod({ "ome.io/enable-metric-aggregation": "true" });
    const proxied = { ...plan, spec: { ...plan.spec, containers: [...plan.spec.containers, { name: "queue-proxy" }] } };
    const proxy = take(proxied).spec.containers.at(-1);
    assert.deepEqual(
      ["CONTAINER_PROMETHEUS_METRICS_PORT", "AGGREGATE_PROMETHEUS_METRICS_PORT"].map((name) => variable(proxy, name)),
      ["8080", "9088"],
    );
    assert.deepEqual(proxy?.ports, [{ name: "aggr-metric", containerPort: 9088, protocol: "TCP" }]);
  });
});
