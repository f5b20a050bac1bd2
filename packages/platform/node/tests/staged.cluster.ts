import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { systemClock } from "@trivium/runtime";
import { type ControlPlane, startControlPlane } from "../../../../tools/cluster/control-plane.ts";
import { ClaimBinder, LogBook, NodeAgent, type NodeProfile, type StageTable, stagedSandbox } from "../src/index.ts";
import { type KubeletEndpoint, serveKubelet } from "../src/logs/kubelet-endpoint.ts";

const address = "127.0.0.1";
const profiles: readonly NodeProfile[] = [
  {
    name: "amd-1",
    address,
    accelerators: [
      { vendor: "amd", product: "AMD_Instinct_MI300X", count: 8, memoryGiB: 192, deviceId: "74a1", family: "AI" },
    ],
  },
  {
    name: "nvidia-1",
    address,
    accelerators: [{ vendor: "nvidia", product: "NVIDIA-H100-80GB-HBM3", count: 2, memoryGiB: 80, family: "hopper" }],
  },
];
const stages: StageTable = [
  {
    name: "chatty",
    match: { image: "example/chatty*" },
    life: { ready: "100ms", log: [{ text: "begin" }, { text: "tick", after: "200ms", every: "300ms" }] },
  },
  {
    name: "falls once",
    match: { image: "example/falls*" },
    life: [
      { log: [{ text: "first life" }], exit: { after: "300ms", code: 2 } },
      { ready: "100ms", log: [{ text: "second life" }] },
    ],
  },
];
const provisioner = "trivium.dev/staged";

const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;

describe("staged nodes on a real control plane", { skip }, () => {
  const real = plane as ControlPlane;
  let transport: HttpTransport;
  let endpoint: KubeletEndpoint;
  let binder: ClaimBinder;
  const agents: NodeAgent[] = [];
  const failures: string[] = [];
  const kubectl = (command: string, input?: string) => real.kubectl(command.split(" "), input);
  const apply = (...objects: object[]) =>
    kubectl("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const wait = (what: string, condition: string) => kubectl(`wait ${what} --for=${condition} --timeout=180s`);

  before(async () => {
    transport = httpTransport(await loadKubeconfig(real.kubeconfig));
    const client = createClient(transport);
    const now = () => systemClock.now();
    const logs = new LogBook(now);
    const onError = (what: string, error: unknown) => failures.push(`${what}: ${error}`);
    endpoint = await serveKubelet({ logs, now, ...real.kubelet });
    binder = new ClaimBinder({ client, provisioner, onError });
    await binder.start();
    for (const [i, profile] of profiles.entries()) {
      const sandbox = stagedSandbox({ clock: systemClock, stages, podCidr: `10.244.${i}.0/24` });
      const ports = { client, sandbox, logs, claims: binder, kubeletPort: endpoint.port, onError };
      agents.push(new NodeAgent({ profile, ...ports, backoff: { first: 1_000, most: 10_000 } }));
    }
    await Promise.all(agents.map((agent) => agent.start()));
    await wait("node --all", "condition=Ready");
  });

  after(async () => {
    await Promise.all([...agents, binder].map((each) => each?.stop()));
    await endpoint?.close();
    await transport?.close();
    await real.stop();
  });

  test("a Deployment of three becomes available, and a new image rolls out", async () => {
    await apply(deployment("web", { replicas: 3 }));
    await wait("deployment/web", "condition=Available");
    await kubectl("set image deployment/web main=example/web:2");
    assert.match(await kubectl("rollout status deployment/web --timeout=180s"), /successfully rolled out/);
    assert.match(await kubectl("get deployment web"), /web\s+3\/3\s+3\s+3/);
  });

  test("a Job completes, and a failing one fails after its retries", async () => {
    // The CronJob has its turn at the next full minute; the last test but one looks at it.
    await apply(
      job("good", {}),
      job("bad", { backoffLimit: 1 }, { "trivium.dev/stage": "fails" }),
      cronJob("often", "* * * * *"),
    );
    await wait("job/good", "condition=Complete");
    await wait("job/bad", "condition=Failed");
    const failed = '{.status.conditions[?(@.type=="Failed")].reason}/{.status.failed}';
    assert.equal(await kubectl(`get job bad -o jsonpath=${failed}`), "BackoffLimitExceeded/2");
  });

  test("a StatefulSet gets its claims bound, at once or with its first pod", async () => {
    await apply(
      storageClass("now", "Immediate"),
      storageClass("later", "WaitForFirstConsumer"),
      statefulSet("db-now", "now"),
      statefulSet("db-later", "later"),
    );
    await kubectl("rollout status statefulset/db-now --timeout=180s");
    await kubectl("rollout status statefulset/db-later --timeout=180s");
    const claims = await kubectl("get pvc -o jsonpath={.items[*].status.phase}");
    assert.equal(claims, "Bound Bound Bound Bound");
    await kubectl("delete statefulset db-now db-later");
    await kubectl("delete pvc --all --timeout=180s");
    await kubectl("wait pv --all --for=delete --timeout=180s");
  });

  test("a DaemonSet runs on both nodes", async () => {
    const { spec } = deployment("everywhere", {});
    const { selector, template } = spec;
    await apply({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "everywhere", namespace: "default" },
      spec: { selector, template },
    });
    await kubectl("rollout status daemonset/everywhere --timeout=180s");
    const nodes = await kubectl("get pods -l app=everywhere -o jsonpath={.items[*].spec.nodeName}");
    assert.deepEqual(nodes.split(" ").sort(), ["amd-1", "nvidia-1"]);
  });

  test("the scheduler places pods by GPU, and says what is missing", async () => {
    const gpus = (resource: string, count: number) => ({
      containers: [{ name: "main", image: "example/llm", resources: { limits: { [resource]: String(count) } } }],
    });
    const labels = { nodeSelector: { "amd.com/gpu.device-id": "74a1" } };
    await apply(
      pod("on-amd", { ...gpus("amd.com/gpu", 4), ...labels }),
      pod("on-nvidia", gpus("nvidia.com/gpu", 2)),
      pod("too-much", gpus("nvidia.com/gpu", 3)),
    );
    await wait("pod/on-amd pod/on-nvidia", "condition=Ready");
    const nodes = await kubectl("get pods on-amd on-nvidia -o jsonpath={.items[*].spec.nodeName}");
    assert.equal(nodes, "amd-1 nvidia-1");
    await wait("pod/too-much", "condition=PodScheduled=False");
    assert.match(await kubectl("describe pod too-much"), /Insufficient nvidia.com\/gpu/);
    await kubectl("delete pod on-amd on-nvidia too-much --wait=false");
  });

  test("kubectl reads logs: whole, followed, with times, of the run before, and refusals", async () => {
    await apply(
      pod("talks", { containers: [{ name: "main", image: "example/chatty" }] }),
      pod("falls", { containers: [{ name: "main", image: "example/falls" }] }),
      pod("ghost", {}, { "trivium.dev/stage": "image-pull-error" }),
    );
    await wait("pod/talks", "condition=Ready");
    assert.match(await kubectl("logs talks"), /^begin\n/);
    assert.equal(await kubectl("logs talks --tail=0"), "");
    assert.match(await kubectl("logs talks --tail=1 --timestamps"), /^\d{4}-\d\d-\d\dT[\d:.]+Z (begin|tick)\n$/);
    const followed = kubectl("logs -f talks");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await kubectl("delete pod talks");
    assert.match(await followed, /^begin\n(tick\n){3,}$/);
    await kubectl("wait pod/falls --for=jsonpath={.status.containerStatuses[0].restartCount}=1 --timeout=180s");
    await wait("pod/falls", "condition=Ready");
    assert.equal(await kubectl("logs falls"), "second life\n");
    assert.equal(await kubectl("logs falls --previous"), "first life\n");
    await assert.rejects(
      kubectl("logs ghost"),
      /waiting to start: (image can't be pulled|trying and failing to pull image)/,
    );
    const described = await kubectl("describe pod falls");
    for (const reason of ["Pulled", "Created", "Started"]) assert.match(described, new RegExp(`Normal +${reason} `));
    await kubectl("delete pod falls ghost --wait=false");
  });

  test("pods that are deleted have their grace, and a node is drained", async () => {
    await apply(
      pod("slow", { terminationGracePeriodSeconds: 3 }, { "trivium.dev/stage": "stops-slowly" }),
      deployment("mover", { replicas: 2 }),
    );
    await wait("pod/slow", "condition=Ready");
    await wait("deployment/mover", "condition=Available");
    const began = Date.now();
    await kubectl("delete pod slow");
    assert.ok(Date.now() - began >= 2_500, "it was not killed before its time");
    await kubectl("drain amd-1 --ignore-daemonsets --force --delete-emptydir-data --timeout=180s");
    await kubectl("rollout status deployment/mover --timeout=180s");
    const nodes = await kubectl(
      "get pods -l app=mover --field-selector=status.phase=Running -o jsonpath={.items[*].spec.nodeName}",
    );
    assert.deepEqual([...new Set(nodes.split(" "))], ["nvidia-1"]);
    await kubectl("uncordon amd-1");
  });

  test("a CronJob has run", async () => {
    await kubectl("wait cronjob/often --for=jsonpath={.status.lastSuccessfulTime} --timeout=180s");
    assert.match(await kubectl("get jobs"), /often-\d+\s+Complete\s+1\/1/);
  });

  test("nothing went wrong behind the scenes", () => {
    assert.deepEqual(
      failures.filter((line) => !/Conflict|has been modified/.test(line)),
      [],
    );
  });
});

const main = { name: "main", image: "example/web:1" };

function pod(name: string, spec: object, annotations = {}) {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", annotations },
    spec: { containers: [main], ...spec },
  };
}

function deployment(name: string, spec: object) {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [main] } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  };
}

function job(name: string, spec: object, annotations = {}) {
  const template = { metadata: { annotations }, spec: { restartPolicy: "Never", containers: [main] } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name, namespace: "default" }, spec: { template, ...spec } };
}

function cronJob(name: string, schedule: string) {
  const jobTemplate = { spec: job(name, {}).spec };
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name, namespace: "default" },
    spec: { schedule, jobTemplate },
  };
}

function storageClass(name: string, volumeBindingMode: string) {
  return { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name }, provisioner, volumeBindingMode };
}

function statefulSet(name: string, storageClassName: string) {
  const { spec } = deployment(name, { replicas: 2 });
  const claim = { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace: "default" },
    spec: { ...spec, serviceName: name, volumeClaimTemplates: [{ metadata: { name: "disk" }, spec: claim }] },
  };
}
