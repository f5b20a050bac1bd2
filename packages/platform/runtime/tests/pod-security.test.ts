import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment, Event, type KubeClient, Namespace, type PodSecurityLevel } from "@trivium/kube";
import type { Reconciler, Refusal } from "@trivium/reconcile";
import { permissionsOf } from "@trivium/runtime";
import { Sample, sample } from "./sample.ts";
import { ref, sampleCluster } from "./sample-cluster.ts";

/** A sample with a Deployment: privileged where its ribbon says so. */
function grower(observed: Refusal[][]): Reconciler<Sample, null> {
  return {
    name: "garden.grower",
    kind: Sample,
    reads: [],
    writes: [Deployment],
    observe: () => null,
    decide: ({ metadata: { name, labels = {} } }) => {
      const { pods = "plain", size = "1" } = labels;
      const securityContext = pods === "privileged" ? { privileged: true } : {};
      const volumes = pods === "host" ? [{ name: "root", hostPath: { path: "/" } }] : [];
      const spec = { containers: [{ name: "a", image: "x", securityContext }], volumes };
      const selector = { matchLabels: { app: name ?? "" } };
      const object: Deployment = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: name ?? "" },
        spec: { replicas: Number(size), selector, template: { metadata: { labels: selector.matchLabels }, spec } },
      };
      return { do: "converge", children: [{ kind: Deployment, object }], status: {} };
    },
    refused: (_object, _status, refusals) => {
      observed.push([...refusals]);
      const message = refusals[0]?.message ?? "";
      return { conditions: [{ type: "Ready", status: "False", reason: "Refused", message }] };
    },
  };
}

const enforce = (client: KubeClient, level: string | null) =>
  client.patch(
    Namespace,
    { name: "default" },
    { type: "merge", body: { metadata: { labels: { "pod-security.kubernetes.io/enforce": level } } } },
  );

const withPods = (pods: string) => ({ ...sample("a"), metadata: { ...sample("a").metadata, labels: { pods } } });

const hasDeployment = async (client: KubeClient): Promise<boolean> =>
  (await client.list(Deployment, { namespace: "default" })).items.length > 0;

test("pods beyond the level of their namespace are not created until a label allows them", async () => {
  const observed: Refusal[][] = [];
  const { client, settle, writes } = await sampleCluster({ reconcilers: [grower(observed)] });
  await enforce(client, "baseline");
  await settle();
  await client.create(Sample, withPods("host"));
  await settle();
  assert.equal(await hasDeployment(client), false);
  const [refusal] = observed.at(-1) ?? [];
  assert.deepEqual(refusal, {
    child: { kind: "Deployment", namespace: "default", name: "a" },
    reason: "Forbidden",
    code: 403,
    message:
      'deployments.apps "a" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes (volume "root")',
    causes: [{ field: "spec.template.spec.volumes[0].hostPath", message: 'hostPath volumes (volume "root")' }],
    podSecurity: { level: "baseline", from: "namespace" },
  });
  const { items: events } = await client.list(Event, { namespace: "default" });
  assert.ok(events.some((event) => event.reason === "ApplyFailed" && /violates PodSecurity/.test(event.message ?? "")));
  assert.ok(!writes.includes("apply Deployment"));
  await enforce(client, null);
  await settle();
  assert.equal(await hasDeployment(client), true, "a change of the label is enough");
});

test("a Deployment that runs stays as it is when its next version is refused", async () => {
  const observed: Refusal[][] = [];
  const { client, settle } = await sampleCluster({ reconcilers: [grower(observed)] });
  await enforce(client, "baseline");
  await client.create(Sample, withPods("plain"));
  await settle();
  const before = await client.get(Deployment, ref("a"));
  const labels = { pods: "privileged", size: "3" };
  await client.patch(Sample, ref("a"), { type: "merge", body: { metadata: { labels } } });
  await settle();
  assert.deepEqual((await client.get(Deployment, ref("a"))).spec, before.spec);
  assert.match(
    observed.at(-1)?.[0]?.message ?? "",
    /privileged \(container "a" must not set securityContext.privileged/,
  );
  await client.patch(Sample, ref("a"), { type: "merge", body: { metadata: { labels: { pods: "plain" } } } });
  await settle();
  assert.equal((await client.get(Deployment, ref("a"))).spec?.replicas, 3);
});

const floors: readonly (readonly [PodSecurityLevel, string | null, string, string])[] = [
  ["baseline", null, "privileged", "operator"],
  ["baseline", "privileged", "privileged", "operator"],
  ["baseline", "restricted", "plain", "namespace"],
  ["privileged", "baseline", "privileged", "namespace"],
  ["baseline", "no-such-level", "plain", "namespace"],
];
for (const [podSecurityLevel, label, pods, from] of floors)
  test(`the stricter of ${podSecurityLevel} and the label ${label} holds`, async () => {
    const observed: Refusal[][] = [];
    const { client, settle } = await sampleCluster({ reconcilers: [grower(observed)], podSecurityLevel });
    await enforce(client, label);
    await client.create(Sample, withPods(pods));
    await settle();
    assert.equal(await hasDeployment(client), false);
    assert.equal(observed.at(-1)?.[0]?.podSecurity?.from, from);
  });

/** A client whose watch of namespaces brings nothing until it is released. */
function withLateNamespaces() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const between = (client: KubeClient): KubeClient => ({
    ...client,
    async *watch(kind, options) {
      for await (const event of client.watch(kind, options)) {
        if (kind.kind === "Namespace") await promise;
        yield event;
      }
    },
  });
  return { between, release };
}

test("pods wait until their namespace, and with it the level, is known", async () => {
  const observed: Refusal[][] = [];
  const { between, release } = withLateNamespaces();
  const { client, settle } = await sampleCluster({ reconcilers: [grower(observed)], between });
  const labels = { "pod-security.kubernetes.io/enforce": "baseline" };
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "late", labels } });
  const inLate = (name: string, pods: string) => {
    const object = withPods(pods);
    return client.create(Sample, { ...object, metadata: { ...object.metadata, name, namespace: "late" } });
  };
  await inLate("strong", "privileged");
  await inLate("plain", "plain");
  await settle();
  const names = async () =>
    (await client.list(Deployment, { namespace: "late" })).items.map(({ metadata }) => metadata.name);
  const before = await names();
  const refusals = observed.length;
  release();
  await settle();
  assert.deepEqual(before, [], "nothing is decided without the level");
  assert.equal(refusals, 0);
  assert.deepEqual(await names(), ["plain"]);
  assert.equal(observed.at(-1)?.[0]?.podSecurity?.level, "baseline");
});

test("a reconciler without a status for refusals writes its pods: the API server judges them", async () => {
  const { refused: _, ...plain } = grower([]);
  const { client, settle } = await sampleCluster({ reconcilers: [plain], podSecurityLevel: "restricted" });
  await client.create(Sample, withPods("privileged"));
  await settle();
  assert.equal(await hasDeployment(client), true);
  const namespaces = (reconciler: Reconciler<Sample, null>) =>
    permissionsOf([reconciler]).filter(({ resources }) => resources.includes("namespaces"));
  assert.deepEqual(namespaces(plain), []);
  assert.deepEqual(namespaces(grower([])), [{ apiGroups: [""], resources: ["namespaces"], verbs: ["list", "watch"] }]);
});
