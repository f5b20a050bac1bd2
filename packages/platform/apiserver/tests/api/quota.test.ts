import assert from "node:assert/strict";
import { test } from "node:test";
import { type Harness, startApi } from "./harness.ts";

const inside = "/api/v1/namespaces/default";

const podOf = (name: string, resources: object = {}, spec: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "main", image: "nginx", resources }], ...spec },
});

const makeQuota = (api: Harness, name: string, spec: object) =>
  api.post(`${inside}/resourcequotas`, { metadata: { name }, spec });

const used = async (api: Harness, name: string) => {
  await api.api.idle();
  return (await api.get(`${inside}/resourcequotas/${name}`)).json.status;
};

test("a pod beyond the quota is refused, and what is used is in the status", async () => {
  const api = await startApi();
  await makeQuota(api, "q", { hard: { pods: "1", "requests.nvidia.com/gpu": "4" } });
  assert.deepEqual(await used(api, "q"), {
    hard: { pods: "1", "requests.nvidia.com/gpu": "4" },
    used: { pods: "0", "requests.nvidia.com/gpu": "0" },
  });
  assert.equal((await api.post(`${inside}/pods`, podOf("a", { limits: { "nvidia.com/gpu": 2 } }))).status, 201);
  const refused = await api.post(`${inside}/pods`, podOf("b", { limits: { "nvidia.com/gpu": 3 } }));
  assert.equal(refused.status, 403);
  assert.equal(
    refused.failure.message,
    'pods "b" is forbidden: exceeded quota: q, requested: pods=1,requests.nvidia.com/gpu=3, used: pods=1,requests.nvidia.com/gpu=2, limited: pods=1,requests.nvidia.com/gpu=4',
  );
  assert.deepEqual((await used(api, "q")).used, { pods: "1", "requests.nvidia.com/gpu": "2" });
  await api.patch(`${inside}/pods/a/status`, { status: { phase: "Succeeded" } });
  assert.deepEqual((await used(api, "q")).used, { pods: "0", "requests.nvidia.com/gpu": "0" });
  assert.equal((await api.post(`${inside}/pods`, podOf("c"))).status, 201, "a pod that has ended makes room");
});

test("creations at the same moment do not share the last place", async () => {
  const api = await startApi();
  await makeQuota(api, "q", { hard: { "count/configmaps": "5" } });
  const before = (await api.get(`${inside}/configmaps`)).json.items.length;
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, at) => api.post(`${inside}/configmaps`, { metadata: { name: `m${at}` } })),
  );
  assert.equal(all.filter(({ status }) => status === 201).length, 5 - before);
  assert.equal((await api.get(`${inside}/configmaps`)).json.items.length, 5);
  const dry = await api.send("POST", `${inside}/configmaps?dryRun=All`, { metadata: { name: "dry" } });
  assert.equal(dry.status, 403);
});

test("containers must state what a quota limits", async () => {
  const api = await startApi();
  await makeQuota(api, "q", { hard: { "limits.cpu": "1", "requests.memory": "1Gi" } });
  const refused = await api.post(`${inside}/pods`, podOf("a", { requests: { memory: "1Mi" } }));
  assert.equal(refused.failure.message, 'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: main');
  const limits = { limits: { cpu: "600m", memory: "600Mi" } };
  assert.equal((await api.post(`${inside}/pods`, podOf("a", limits))).status, 201);
  assert.equal(
    (await api.post(`${inside}/pods`, podOf("b", limits))).failure.message,
    'pods "b" is forbidden: exceeded quota: q, requested: limits.cpu=600m,requests.memory=600Mi, used: limits.cpu=600m,requests.memory=600Mi, limited: limits.cpu=1,requests.memory=1Gi',
  );
});

test("scopes choose the pods that count", async () => {
  const api = await startApi();
  await makeQuota(api, "best", { hard: { pods: "0" }, scopes: ["BestEffort"] });
  await makeQuota(api, "ending", { hard: { pods: "0" }, scopes: ["Terminating"] });
  await makeQuota(api, "high", {
    hard: { pods: "0" },
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] },
  });
  const tries: [object, string | undefined][] = [
    [podOf("a"), "best"],
    [podOf("b", { requests: { cpu: "1m" } }), undefined],
    [podOf("c", { requests: { cpu: "1m" } }, { activeDeadlineSeconds: 9 }), "ending"],
    [podOf("d", { requests: { cpu: "1m" } }, { priorityClassName: "high" }), "high"],
  ];
  for (const [pod, quota] of tries) {
    const { status, text } = await api.post(`${inside}/pods`, pod);
    assert.equal(status, quota === undefined ? 201 : 403, text);
    if (quota !== undefined) assert.match(text, new RegExp(`exceeded quota: ${quota},`));
  }
  assert.equal((await api.post(`${inside}/configmaps`, { metadata: { name: "a" } })).status, 201);
});

test("services and claims count by what they take, also when they change", async () => {
  const api = await startApi();
  await makeQuota(api, "q", {
    hard: {
      "services.nodeports": "1",
      "requests.storage": "10Gi",
      "fast.storageclass.storage.k8s.io/requests.storage": "4Gi",
      "count/deployments.apps": "0",
    },
  });
  const service = (name: string, type: string) => ({
    metadata: { name },
    spec: { type, selector: { a: "b" }, ports: [{ port: 80 }] },
  });
  assert.equal((await api.post(`${inside}/services`, service("a", "NodePort"))).status, 201);
  assert.equal((await api.post(`${inside}/services`, service("b", "NodePort"))).status, 403);
  assert.equal((await api.post(`${inside}/services`, service("b", "ClusterIP"))).status, 201);
  assert.equal((await api.patch(`${inside}/services/b`, { spec: { type: "NodePort" } })).status, 403);
  const claim = (name: string, storage: string, storageClassName?: string) => ({
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, storageClassName },
  });
  assert.equal((await api.post(`${inside}/persistentvolumeclaims`, claim("a", "5Gi"))).status, 201);
  const fast = await api.post(`${inside}/persistentvolumeclaims`, claim("b", "5Gi", "fast"));
  assert.equal(
    fast.failure.message,
    'persistentvolumeclaims "b" is forbidden: exceeded quota: q, requested: fast.storageclass.storage.k8s.io/requests.storage=5Gi, used: fast.storageclass.storage.k8s.io/requests.storage=0, limited: fast.storageclass.storage.k8s.io/requests.storage=4Gi',
  );
  const deployment = {
    metadata: { name: "a" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "b" }] } },
    },
  };
  assert.match(
    (await api.post("/apis/apps/v1/namespaces/default/deployments", deployment)).failure.message ?? "",
    /exceeded quota: q, requested: count\/deployments.apps=1, used: count\/deployments.apps=0/,
  );
});

test("a limit range fills in and bounds what pods and claims ask for", async () => {
  const api = await startApi();
  await api.post(`${inside}/limitranges`, {
    metadata: { name: "r" },
    spec: {
      limits: [
        {
          type: "Container",
          default: { cpu: "500m" },
          defaultRequest: { cpu: "100m" },
          max: { cpu: "1" },
          maxLimitRequestRatio: { cpu: "5" },
        },
        { type: "Pod", max: { cpu: "2" } },
        { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } },
      ],
    },
  });
  const filled = await api.post(`${inside}/pods`, podOf("a"));
  assert.deepEqual(filled.json.spec.containers[0].resources, { limits: { cpu: "500m" }, requests: { cpu: "100m" } });
  assert.equal(
    filled.json.metadata.annotations["kubernetes.io/limit-ranger"],
    "LimitRanger plugin set: cpu request for container main; cpu limit for container main",
  );
  assert.equal(filled.json.status.qosClass, "Burstable");
  const why = async (path: string, body: object) => (await api.post(`${inside}/${path}`, body)).failure.message;
  assert.equal(
    await why("pods", podOf("b", { limits: { cpu: "3" } })),
    'pods "b" is forbidden: [maximum cpu usage per Container is 1, but limit is 3, maximum cpu usage per Pod is 2, but limit is 3]',
  );
  assert.equal(
    await why("pods", podOf("b", { limits: { cpu: "1" }, requests: { cpu: "100m" } })),
    'pods "b" is forbidden: cpu max limit to request ratio per Container is 5, but provided ratio is 10.000000',
  );
  const claim = {
    metadata: { name: "c" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "3Gi" } } },
  };
  assert.equal(
    await why("persistentvolumeclaims", claim),
    'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi',
  );
});
