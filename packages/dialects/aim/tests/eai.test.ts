import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { isServed } from "@trivium/domain";
import {
  type AnyObject,
  CustomResourceDefinition,
  controllerOf,
  Deployment,
  Job,
  type Kind,
  KServeInferenceService,
  Namespace,
  PersistentVolumeClaim,
} from "@trivium/kube";
import { objectWarningAnswers, servedKindAnswers } from "@trivium/probes";
import { type Answered, answer } from "@trivium/reconcile";
import { formatTime } from "@trivium/std";
import { startCluster, startWorld, type World } from "@trivium/testkit";
import { EaiArtifact, EaiModel, EaiService, EaiServiceTemplate, EaiTemplateCache } from "../src/eai/kinds.ts";
import { toNewer } from "../src/eai/objects.ts";
import { AIMModel, AIMService, AIMServiceTemplate, aim, aimEai } from "../src/index.ts";
import { AIMModelCache } from "../src/kinds/model-cache.ts";
import { AIMTemplateCache } from "../src/kinds/template-cache.ts";
import { thirdPartyApisOf } from "./story-operator.ts";

const namespace = "team-a";
const chat = { namespace, name: "chat" };
const predictor = { namespace, name: "chat-predictor" };

const manifests = (apiVersion: string): AnyObject[] => [
  {
    apiVersion,
    kind: "AIMModel",
    metadata: { name: "foo", namespace },
    spec: { image: "registry.example/foo:1", discovery: { extractMetadata: false } },
  },
  {
    apiVersion,
    kind: "AIMServiceTemplate",
    metadata: { name: "foo-cpu", namespace },
    spec: {
      modelName: "foo",
      type: "optimized",
      hardware: { cpu: { requests: "2" } },
      modelSources: [{ modelId: "acme/foo", sourceUri: "hf://acme/foo", size: "1Gi" }],
    },
  },
  {
    apiVersion,
    kind: "AIMService",
    metadata: { name: "chat", namespace },
    spec: { model: { name: "foo" }, caching: { mode: "Shared" } },
  },
];

async function stage(t: TestContext, thirdPartyApis: readonly CustomResourceDefinition[] = []): Promise<World> {
  const cluster = await startCluster([...aim.kinds, ...aimEai.kinds]);
  for (const definition of thirdPartyApis) await cluster.client.create(CustomResourceDefinition, definition);
  await cluster.rest();
  const answers: Answered[] =
    thirdPartyApis.length === 0
      ? [answer(isServed, async () => false) as Answered]
      : [...servedKindAnswers(cluster.client), ...objectWarningAnswers(cluster.client)];
  const reconcilers = [...aim.reconcilers, ...aimEai.reconcilers];
  const world = await startWorld({ cluster, reconcilers, answers });
  t.after(() => world.stop());
  await world.client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  return world;
}

async function create({ client, settle }: World, objects: readonly AnyObject[]): Promise<void> {
  for (const object of objects) {
    const kind = [...aim.kinds, ...aimEai.kinds].find(
      (one) => one.kind === object.kind && object.apiVersion === `${one.group}/${one.version}`,
    );
    await client.create(kind as Kind, object);
  }
  await settle();
}

/** Volumes are bound and Jobs end at once. */
async function fill({ client, clock, settle }: World): Promise<void> {
  const report = async (kind: Kind, name: string, status: object) => {
    await client.patch(
      kind,
      { namespace, name },
      { type: "merge", body: { status } as never },
      { subresource: "status" },
    );
  };
  for (const { metadata } of (await client.list(PersistentVolumeClaim, { namespace })).items)
    await report(PersistentVolumeClaim, metadata.name ?? "", { phase: "Bound" });
  await settle();
  const time = formatTime(clock.now());
  for (const { metadata, status } of (await client.list(Job, { namespace })).items) {
    if (status?.conditions?.length) continue;
    const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
      type,
      status: "True",
      lastTransitionTime: time,
    }));
    await report(Job, metadata.name ?? "", { startTime: time, completionTime: time, succeeded: 1, conditions });
  }
  await settle();
}

const countOf = async ({ client }: World, ...kinds: readonly Kind[]): Promise<number[]> =>
  Promise.all(kinds.map(async (kind) => (await client.list(kind, { namespace })).items.length));

test("a service of the newer group is served by objects of that group", async (t) => {
  const world = await stage(t);
  const { client } = world;
  await create(world, manifests("aim.eai.amd.com/v1alpha1"));
  await fill(world);
  assert.deepEqual(await countOf(world, AIMService, AIMModel, AIMServiceTemplate, AIMTemplateCache, AIMModelCache), [
    ...[0, 0, 0, 0, 0],
  ]);
  assert.deepEqual(await countOf(world, EaiModel, EaiServiceTemplate, EaiTemplateCache, EaiArtifact), [1, 1, 1, 1]);

  const deployment = await client.get(Deployment, predictor);
  const owner = controllerOf(deployment);
  assert.deepEqual([owner?.apiVersion, owner?.kind, owner?.name], ["aim.eai.amd.com/v1alpha1", "AIMService", "chat"]);

  const { status, metadata } = await client.get(EaiService, chat);
  assert.deepEqual(metadata.finalizers, ["aim.eai.amd.com/service-cache-cleanup"]);
  assert.equal(status?.status, "Starting");
  const word = (type: string): string => {
    const found = status?.conditions?.find((one) => one.type === type);
    return `${found?.status} ${found?.reason}`;
  };
  assert.deepEqual(["ModelReady", "TemplateReady", "CacheReady", "InferenceServiceReady", "RuntimeReady"].map(word), [
    "True ModelResolved",
    "True Resolved",
    "True CacheReady",
    "False CreatingRuntime",
    "undefined undefined",
  ]);
  const [cache] = (await client.list(EaiTemplateCache, { namespace })).items;
  const [artifact] = (await client.list(EaiArtifact, { namespace })).items;
  assert.equal(status?.cache?.templateCacheRef?.name, cache?.metadata.name);
  assert.equal(cache?.spec.templateName, "foo-cpu");
  assert.deepEqual([cache?.status?.status, artifact?.status?.status], ["Ready", "Ready"]);
  assert.deepEqual(
    Object.values(cache?.status?.artifacts ?? {}).map((one) => one.status),
    ["Ready"],
  );
});

test("annotations of the newer group count, and those of the older do not", async (t) => {
  const world = await stage(t);
  const [model] = manifests("aim.eai.amd.com/v1alpha1");
  const paused = (name: string, annotation: string): AnyObject =>
    ({ ...model, metadata: { name, namespace, annotations: { [annotation]: "true" } } }) as AnyObject;
  await create(world, [
    paused("left", "aim.eai.amd.com/reconciliation-paused"),
    paused("worked-on", "aim.silogen.ai/reconciliation-paused"),
  ]);
  const states = (await world.client.list(EaiModel, { namespace })).items.map(({ metadata, status }) => [
    metadata.name,
    status?.conditions === undefined,
  ]);
  assert.deepEqual(states, [
    ["left", true],
    ["worked-on", false],
  ]);
});

test("a service moves from one group to the other and back without a restart", async (t) => {
  const world = await stage(t);
  const { client } = world;
  const older = manifests("aim.silogen.ai/v1alpha1");
  await create(world, older);
  await fill(world);
  const before = await client.get(Deployment, predictor);
  const claims = (await client.list(PersistentVolumeClaim, { namespace })).items.map(({ metadata }) => metadata.uid);

  await leave(world, [AIMService, AIMTemplateCache, AIMModelCache, AIMServiceTemplate, AIMModel]);
  await create(world, older.map(toNewer));
  await assertKept(world, { before, claims, service: EaiService });

  await leave(world, [EaiService, EaiTemplateCache, EaiArtifact, EaiServiceTemplate, EaiModel]);
  await create(world, older);
  await assertKept(world, { before, claims, service: AIMService });
});

for (const [what, caching] of Object.entries({
  "without a cache": {},
  "with a cache of its own": { mode: "Dedicated" },
}))
  test(`a service ${what} keeps its pods when it moves, until it is changed`, async (t) => {
    const world = await stage(t);
    const { client } = world;
    const [model, template, service] = manifests("aim.silogen.ai/v1alpha1") as [AnyObject, AnyObject, AnyObject];
    const older = [model, template, { ...service, spec: { model: { name: "foo" }, caching } }];
    await create(world, older);
    await fill(world);
    const before = await client.get(Deployment, predictor);

    await leave(world, [AIMService, AIMTemplateCache, AIMModelCache, AIMServiceTemplate, AIMModel]);
    await create(world, older.map(toNewer));
    await fill(world);
    const after = await client.get(Deployment, predictor);
    assert.equal(controllerOf(after)?.uid, (await client.get(EaiService, chat)).metadata.uid);
    assert.deepEqual([after.metadata.uid, after.spec], [before.metadata.uid, before.spec]);
    assert.equal(after.metadata.generation, before.metadata.generation);

    await client.patch(EaiService, chat, { type: "merge", body: { spec: { env: [{ name: "A", value: "b" }] } } });
    await world.settle();
    const changed = await client.get(Deployment, predictor);
    assert.ok(changed.spec.template.spec?.containers[0]?.env?.some(({ name }) => name === "A"));
  });

test("what is created has the labels by which AIM Engine finds it", async (t) => {
  const world = await stage(t);
  const { client } = world;
  await create(world, manifests("aim.eai.amd.com/v1alpha1"));
  await fill(world);
  const marked = async (kind: Kind, labels: Readonly<Record<string, string>>): Promise<number> => {
    const own = Object.entries(labels).map(([name, value]) => `aim.eai.amd.com/${name}=${value}`);
    return (await client.list(kind, { namespace, labelSelector: own.join(",") })).items.length;
  };
  const [cache] = (await client.list(EaiTemplateCache, { namespace })).items;
  const [artifact] = (await client.list(EaiArtifact, { namespace })).items;
  const service = { service: "chat", "service.name": "chat" };
  const cached = { "template-cache.name": cache?.metadata.name ?? "" };
  const stored = { "cache.name": artifact?.metadata.name ?? "", "artifact.name": artifact?.metadata.name ?? "" };
  assert.equal(await marked(EaiTemplateCache, service), 1);
  assert.equal(await marked(EaiArtifact, { ...service, ...cached, "template.name": "foo-cpu" }), 1);
  assert.equal(await marked(Job, { ...stored, component: "download", "service.name": "chat" }), 1);
  assert.equal(await marked(PersistentVolumeClaim, { ...stored, "service.name": "chat" }), 1);
  assert.equal(await marked(Deployment, service), 1);
  const { spec } = await client.get(Deployment, predictor);
  assert.equal(spec.template.metadata?.labels?.["aim.eai.amd.com/service.name"], "chat");
  assert.equal(spec.selector.matchLabels?.["aim.eai.amd.com/service.name"], undefined);
});

test("an InferenceService of KServe that moves gets the new owner, and nothing else before the service changes", async (t) => {
  const world = await stage(t, thirdPartyApisOf({ installs: ["kserve"] } as never));
  const { client } = world;
  const older = manifests("aim.silogen.ai/v1alpha1");
  await create(world, older);
  await fill(world);
  const read = async () => {
    const { items } = await client.list(KServeInferenceService, { namespace });
    assert.equal(items.length, 1);
    return items[0] as KServeInferenceService;
  };
  const before = await read();

  await leave(world, [AIMService, AIMTemplateCache, AIMModelCache, AIMServiceTemplate, AIMModel]);
  await create(world, older.map(toNewer));
  await fill(world);
  const after = await read();
  assert.equal(controllerOf(after)?.uid, (await client.get(EaiService, chat)).metadata.uid);
  const copied = ({ metadata, spec }: typeof before) => [
    metadata.uid,
    metadata.labels,
    metadata.annotations,
    metadata.generation,
    spec,
  ];
  assert.deepEqual(copied(after), copied(before));

  await client.patch(EaiService, chat, { type: "merge", body: { spec: { env: [{ name: "A", value: "b" }] } } });
  await world.settle();
  const changed = await read();
  assert.equal(changed.metadata.labels?.["aim.eai.amd.com/service"], "chat");
  assert.ok(JSON.stringify(changed.spec).includes('{"name":"A","value":"b"}'));
});

test("finalizers of AIM Engine do not hold what is deleted", async (t) => {
  const world = await stage(t);
  const { client } = world;
  await create(world, manifests("aim.eai.amd.com/v1alpha1"));
  await fill(world);
  const [cache] = (await client.list(EaiTemplateCache, { namespace })).items;
  const left = [
    { kind: EaiService, ref: chat, finalizer: "aim.eai.amd.com/template-cache-cleanup" },
    {
      kind: EaiTemplateCache,
      ref: { namespace, name: cache?.metadata.name ?? "" },
      finalizer: "aim.eai.amd.com/artifactcleanup",
    },
  ] as readonly { kind: Kind; ref: typeof chat; finalizer: string }[];
  for (const { kind, ref, finalizer } of left) {
    const { finalizers = [] } = (await client.get(kind, ref)).metadata;
    await client.patch(kind, ref, { type: "merge", body: { metadata: { finalizers: [...finalizers, finalizer] } } });
  }
  await world.settle();
  for (const { kind, ref } of left) await client.delete(kind, ref);
  await world.elapse(5_000);
  assert.deepEqual(await countOf(world, EaiService, EaiTemplateCache), [0, 0]);
});

test("two services of one name: the first keeps its objects, the other names it", async (t) => {
  const world = await stage(t);
  const older = manifests("aim.silogen.ai/v1alpha1");
  await create(world, older);
  await fill(world);
  await create(world, older.map(toNewer));
  await fill(world);
  assert.equal(controllerOf(await world.client.get(Deployment, predictor))?.apiVersion, "aim.silogen.ai/v1alpha1");
  const { status } = await world.client.get(EaiService, chat);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  assert.equal(ready?.reason, "ApplyFailed");
  assert.match(ready?.message ?? "", /already used by AIMService chat of aim\.silogen\.ai/);
});

/** `kubectl delete --cascade=orphan`: the garbage collector takes the owner off what stays. */
async function leave({ client, settle }: World, kinds: readonly Kind[]): Promise<void> {
  const orphan = async (kind: Kind) => {
    for (const { metadata } of (await client.list(kind, { namespace })).items) {
      const body = { metadata: { ownerReferences: null } };
      if (metadata.ownerReferences !== undefined)
        await client.patch(kind, { namespace, name: metadata.name ?? "" }, { type: "merge", body });
    }
  };
  for (const kind of kinds) {
    for (const { metadata } of (await client.list(kind, { namespace })).items)
      await client.delete(kind, { namespace, name: metadata.name ?? "" }, { propagationPolicy: "Orphan" });
    await settle();
  }
  const served = new Set((await client.discover()).map(({ plural, group }) => `${plural}.${group}`));
  const others = [Deployment, Job, PersistentVolumeClaim, KServeInferenceService] as readonly Kind[];
  for (const kind of others.filter(({ plural, group }) => served.has(`${plural}.${group}`))) await orphan(kind);
}

interface Moved {
  readonly before: Deployment;
  readonly claims: readonly (string | undefined)[];
  readonly service: Kind;
}

async function assertKept(world: World, { before, claims, service }: Moved): Promise<void> {
  const { client } = world;
  const after = await client.get(Deployment, predictor);
  assert.equal(after.metadata.uid, before.metadata.uid);
  assert.equal(after.metadata.generation, before.metadata.generation);
  assert.deepEqual(after.spec, before.spec);
  const { uid } = (await client.get(service, chat)).metadata;
  assert.equal(controllerOf(after)?.uid, uid);
  const now = (await client.list(PersistentVolumeClaim, { namespace })).items.map(({ metadata }) => metadata.uid);
  assert.deepEqual(now, claims);
  const jobs = (await client.list(Job, { namespace })).items;
  assert.equal(jobs.length, 1);
}
