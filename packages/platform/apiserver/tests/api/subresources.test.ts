import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogRequest } from "../../src/ports.ts";
import { definitions, startApi, widget, widgetDefinition, widgets } from "./harness.ts";

const pods = "/api/v1/namespaces/default/pods";
const pod = (name: string, rest: object = {}) => ({
  metadata: { name, labels: { app: "x" } },
  spec: { containers: [{ name: "c", image: "i" }], ...rest },
});

test("scale of a custom resource reads and writes its three paths", async () => {
  const { post, get, put, patch } = await startApi();
  await post(definitions, widgetDefinition());
  const made = (await post(widgets, widget("w"))).object;
  await patch(`${widgets}/w/status`, { status: { replicas: 1, selector: "app=w" } });
  const { name, namespace, uid, creationTimestamp } = made.metadata;
  const scale = (await get(`${widgets}/w/scale`)).json;
  assert.deepEqual(scale, {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, creationTimestamp, resourceVersion: scale.metadata.resourceVersion },
    spec: { replicas: 2 },
    status: { replicas: 1, selector: "app=w" },
  });
  assert.equal((await put(`${widgets}/w/scale`, { ...scale, spec: { replicas: 5 } })).json.spec.replicas, 5);
  assert.equal((await put(`${widgets}/w/scale`, { ...scale, spec: { replicas: 6 } })).status, 409);
  assert.equal((await patch(`${widgets}/w/scale`, { spec: { replicas: 7 } })).json.spec.replicas, 7);
  const after = (await get(`${widgets}/w`)).json;
  assert.deepEqual([after.spec.replicas, after.metadata.generation, after.spec.size], [7, 3, 1]);
  const negative = await put(`${widgets}/w/scale`, { metadata: { name: "w" }, spec: { replicas: -1 } });
  assert.equal(
    negative.failure.message,
    'Widget.shop.example "w" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
  );
  assert.equal((await put(`${widgets}/w/scale`, { metadata: { name: "w" }, spec: { replicas: "many" } })).status, 400);
  assert.equal((await get(`${widgets}/none/scale`)).status, 404);
});

test("scale of a Deployment gives its selector as text", async () => {
  const { post, get, patch } = await startApi();
  const deployments = "/apis/apps/v1/namespaces/default/deployments";
  const template = { metadata: { labels: { app: "d" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  await post(deployments, { metadata: { name: "d" }, spec: { selector: { matchLabels: { app: "d" } }, template } });
  assert.deepEqual((await get(`${deployments}/d/scale`)).json.status, { replicas: 0, selector: "app=d" });
  await patch(`${deployments}/d/scale`, { spec: { replicas: 3 } });
  assert.equal((await get(`${deployments}/d`)).json.spec.replicas, 3);
});

test("a pod is bound to a node once", async () => {
  const { post, get } = await startApi();
  await post(pods, pod("p"));
  const bind = (target: object) => post(`${pods}/p/binding`, { metadata: { name: "p" }, target });
  assert.equal((await bind({ kind: "Node" })).failure.message, 'Binding "p" is invalid: target.name: Required value');
  assert.equal((await bind({ kind: "Node", name: "n1" })).status, 201);
  const bound = (await get(`${pods}/p`)).json;
  assert.equal(bound.spec.nodeName, "n1");
  assert.deepEqual(
    bound.status.conditions.map(({ type, status }: Record<string, string>) => [type, status]),
    [["PodScheduled", "True"]],
  );
  const again = await bind({ kind: "Node", name: "n2" });
  assert.deepEqual(
    [again.status, again.failure.message],
    [409, 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"'],
  );
});

test("an eviction respects the budget", async () => {
  const { post, patch, get } = await startApi();
  const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
  await post(budgets, { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } } });
  await post(pods, pod("p", { nodeName: "n" }));
  await patch(`${pods}/p/status`, { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } });
  const evict = () => post(`${pods}/p/eviction`, { metadata: { name: "p" } });
  const early = await evict();
  assert.deepEqual([early.status, early.failure.details?.retryAfterSeconds], [429, 10]);
  await patch(`${budgets}/b/status`, {
    status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  });
  const refused = await evict();
  assert.equal(refused.failure.message, "Cannot evict pod as it would violate the pod's disruption budget.");
  assert.equal(
    refused.failure.details?.causes?.[0]?.message,
    "The disruption budget b needs 1 healthy pods and has 1 currently",
  );
  await patch(`${budgets}/b/status`, { status: { disruptionsAllowed: 1 } });
  assert.equal((await evict()).status, 201);
  assert.notEqual((await get(`${pods}/p`)).object.metadata.deletionTimestamp, undefined);
  const { disruptionsAllowed, disruptedPods } = (await get(`${budgets}/b`)).json.status;
  assert.deepEqual([disruptionsAllowed, Object.keys(disruptedPods)], [0, ["p"]]);
});

test("logs come from whoever runs the pod", async () => {
  const asked: LogRequest[] = [];
  const podLogs = async function* (_pod: object, options: LogRequest) {
    asked.push(options);
    yield "one\n";
    yield "two\n";
  };
  const { post, get } = await startApi({ podLogs });
  await post(pods, {
    metadata: { name: "p" },
    spec: {
      containers: [
        { name: "a", image: "i" },
        { name: "b", image: "i" },
      ],
      initContainers: [{ name: "init", image: "i" }],
    },
  });
  assert.equal((await get(`${pods}/p/log?container=b&follow=true&tailLines=5&timestamps=true`)).text, "one\ntwo\n");
  const { signal: _, ...options } = asked[0] as LogRequest;
  assert.deepEqual(options, {
    container: "b",
    follow: true,
    previous: false,
    timestamps: true,
    sinceSeconds: undefined,
    sinceTime: undefined,
    tailLines: 5,
    limitBytes: undefined,
  });
  const which = await get(`${pods}/p/log`);
  assert.equal(
    which.failure.message,
    "a container name must be specified for pod p, choose one of: [a b] or one of the init containers: [init]",
  );
  assert.equal((await get(`${pods}/p/log?container=zzz`)).failure.message, "container zzz is not valid for pod p");
  assert.equal((await get(`${pods}/p/log?container=a&tailLines=-1`)).status, 422);
  assert.equal((await get(`${pods}/none/log`)).status, 404);
});

test("without a node agent a log is a clear error", async () => {
  const { post, get } = await startApi();
  await post(pods, pod("p"));
  const refused = await get(`${pods}/p/log`);
  assert.equal(refused.status, 501);
  assert.match(refused.failure.message ?? "", /runs without a node agent/);
});

test("tokens of service accounts come from the issuer that the door trusts", async () => {
  const { post } = await startApi({
    clock: () => Date.UTC(2026, 0, 1),
    tokens: {
      issue: ({ namespace, serviceAccount }) => `${namespace}:${serviceAccount}`,
      read: () => undefined,
    },
  });
  const path = "/api/v1/namespaces/default/serviceaccounts/default/token";
  const made = await post(path, { spec: { expirationSeconds: 900 } });
  assert.deepEqual(
    [made.status, made.json.status],
    [201, { token: "default:default", expirationTimestamp: "2026-01-01T00:15:00Z" }],
  );
  assert.equal((await post(path, { spec: { expirationSeconds: 5 } })).status, 422);
  assert.equal((await post("/api/v1/namespaces/default/serviceaccounts/none/token", {})).status, 404);
});

test("reviews are answered and never stored", async () => {
  const { post, get, store } = await startApi();
  const before = store.revision;
  const me = await post("/apis/authentication.k8s.io/v1/selfsubjectreviews", {});
  assert.deepEqual([me.status, me.json.status.userInfo], [201, { username: "tester", groups: ["system:masters"] }]);
  const can = await post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    spec: { resourceAttributes: { verb: "get", resource: "pods" } },
  });
  assert.deepEqual(can.json.status, { allowed: true });
  assert.equal((await post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec: {} })).status, 422);
  assert.equal((await get("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")).status, 405);
  assert.equal(store.revision, before);
});
