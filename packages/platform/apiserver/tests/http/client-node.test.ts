import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  loadYaml,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1CustomResourceDefinition,
  type V1Deployment,
  Watch,
} from "@kubernetes/client-node";
import { until } from "@trivium/testkit";
import { type Embedded, startEmbedded } from "../kubectl/embedded.ts";
import { widgetCrd } from "../kubectl/manifests.ts";

/** The official JavaScript client against the embedded server. */
let folder = "";
let embedded: Embedded;
const config = new KubeConfig();
let core: CoreV1Api;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "trivium-client-node-"));
  embedded = await startEmbedded(folder);
  config.loadFromFile(embedded.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
});
after(async () => {
  await embedded.close();
  await rm(folder, { recursive: true, force: true });
});

const namespace = "default";
const as = (strategy: PatchStrategy) => setHeaderOptions("Content-Type", strategy);

function configMap(name: string, data: Record<string, string>, labels: Record<string, string> = {}): V1ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, labels }, data };
}

describe("@kubernetes/client-node", () => {
  it("creates, reads, lists, replaces and deletes", async () => {
    const made = await core.createNamespacedConfigMap({
      namespace,
      body: configMap("crud", { a: "1" }, { t: "crud" }),
    });
    assert.ok(made.metadata?.creationTimestamp instanceof Date);
    const list = await core.listNamespacedConfigMap({ namespace, labelSelector: "t=crud" });
    assert.deepEqual(
      list.items.map((item) => item.metadata?.name),
      ["crud"],
    );
    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: "crud",
      body: { ...made, data: { b: "2" } },
    });
    assert.deepEqual(replaced.data, { b: "2" });
    await assert.rejects(core.replaceNamespacedConfigMap({ namespace, name: "crud", body: made }), isCode(409));
    await core.deleteNamespacedConfigMap({ namespace, name: "crud" });
    await assert.rejects(core.readNamespacedConfigMap({ namespace, name: "crud" }), isCode(404));
  });

  it("pages through a list", async () => {
    for (let at = 0; at < 5; at++) {
      await core.createNamespacedConfigMap({ namespace, body: configMap(`page-${at}`, {}, { t: "page" }) });
    }
    const names: string[] = [];
    let next: string | undefined;
    do {
      const page = await core.listNamespacedConfigMap({
        namespace,
        labelSelector: "t=page",
        limit: 2,
        ...(next ? { _continue: next } : {}),
      });
      assert.ok(page.items.length <= 2);
      names.push(...page.items.map((item) => item.metadata?.name ?? ""));
      next = page.metadata?._continue;
    } while (next);
    assert.deepEqual(names, ["page-0", "page-1", "page-2", "page-3", "page-4"]);
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "t=page" });
    assert.equal((await core.listNamespacedConfigMap({ namespace, labelSelector: "t=page" })).items.length, 0);
  });

  it("patches in all four ways", async () => {
    const apps = config.makeApiClient(AppsV1Api);
    const labels = { app: "patched" };
    const body: V1Deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "patched", namespace },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a:1" }] } },
      },
    };
    await apps.createNamespacedDeployment({ namespace, body });
    const target = { namespace, name: "patched" };
    const strategic = await apps.patchNamespacedDeployment(
      { ...target, body: { spec: { template: { spec: { containers: [{ name: "b", image: "b:1" }] } } } } },
      as(PatchStrategy.StrategicMergePatch),
    );
    assert.deepEqual(strategic.spec?.template.spec?.containers.map((one) => one.name).sort(), ["a", "b"]);
    const merge = await apps.patchNamespacedDeployment(
      { ...target, body: { spec: { template: { spec: { containers: [{ name: "c", image: "c:1" }] } } } } },
      as(PatchStrategy.MergePatch),
    );
    assert.deepEqual(
      merge.spec?.template.spec?.containers.map((one) => one.name),
      ["c"],
    );
    const json = await apps.patchNamespacedDeployment(
      { ...target, body: [{ op: "replace", path: "/spec/replicas", value: 3 }] },
      as(PatchStrategy.JsonPatch),
    );
    assert.equal(json.spec?.replicas, 3);
    const applied = await apps.patchNamespacedDeployment(
      {
        ...target,
        fieldManager: "tester",
        force: true,
        body: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "patched", labels: { by: "apply" } } },
      },
      as(PatchStrategy.ServerSideApply),
    );
    assert.deepEqual(applied.metadata?.labels, { by: "apply" });
    assert.ok(
      applied.metadata?.managedFields?.some((entry) => entry.manager === "tester" && entry.operation === "Apply"),
    );
    const scale = await apps.readNamespacedDeploymentScale(target);
    assert.equal(scale.spec?.replicas, 3);
  });

  it("defines a kind and uses it, by discovery", async () => {
    const extensions = config.makeApiClient(ApiextensionsV1Api);
    const crd = loadYaml<V1CustomResourceDefinition>(widgetCrd);
    await extensions.createCustomResourceDefinition({ body: crd });
    const objects = KubernetesObjectApi.makeApiClient(config);
    const widget = {
      apiVersion: "kubectl.example.dev/v1alpha1",
      kind: "Widget",
      metadata: { name: "w", namespace },
      spec: { size: 1 },
    };
    const made = (await objects.create(widget)) as typeof widget & { spec: { note?: string } };
    assert.deepEqual(made.spec, { note: "plain", replicas: 1, size: 1 });
    const patched = await objects.patch(
      { ...widget, spec: { size: 2 } },
      undefined,
      undefined,
      "tester",
      true,
      PatchStrategy.ServerSideApply,
    );
    assert.equal((patched as typeof widget).spec.size, 2);
    const customObjects = config.makeApiClient(CustomObjectsApi);
    const list = await customObjects.listNamespacedCustomObject({
      group: "kubectl.example.dev",
      version: "v1alpha1",
      namespace,
      plural: "widgets",
    });
    assert.equal(list.items.length, 1);
    await assert.rejects(
      objects.create({ ...widget, metadata: { name: "bad", namespace }, spec: { size: 0 } }),
      isCode(422),
    );
  });

  it("watches", async () => {
    const observed: string[] = [];
    let end: unknown = "running";
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const stop = await new Watch(config).watch(
      path,
      { labelSelector: "t=watched", allowWatchBookmarks: true },
      (phase, object: V1ConfigMap) => observed.push(`${phase} ${object.metadata?.name}`),
      (error) => {
        end = error;
      },
    );
    await core.createNamespacedConfigMap({ namespace, body: configMap("watched", { a: "1" }, { t: "watched" }) });
    await core.patchNamespacedConfigMap(
      { namespace, name: "watched", body: { data: { a: "2" } } },
      as(PatchStrategy.MergePatch),
    );
    await core.deleteNamespacedConfigMap({ namespace, name: "watched" });
    await until(() => observed.length >= 3, `saw ${observed.join(", ")}`);
    assert.deepEqual(observed, ["ADDED watched", "MODIFIED watched", "DELETED watched"]);
    assert.equal(end, "running");
    stop.abort();
  });

  it("informs, from what is there and as it changes", async () => {
    await core.createNamespacedConfigMap({ namespace, body: configMap("first", {}, { t: "informed" }) });
    const labelSelector = "t=informed";
    const informer = makeInformer(
      config,
      `/api/v1/namespaces/${namespace}/configmaps`,
      () => core.listNamespacedConfigMap({ namespace, labelSelector }),
      labelSelector,
    );
    const observed: string[] = [];
    for (const verb of ["add", "update", "delete"] as const) {
      informer.on(verb, (object) => observed.push(`${verb} ${object.metadata?.name}`));
    }
    informer.on("error", (error) => observed.push(`error ${String(error)}`));
    await informer.start();
    assert.deepEqual(observed, ["add first"]);
    await core.createNamespacedConfigMap({ namespace, body: configMap("second", {}, { t: "informed" }) });
    await core.patchNamespacedConfigMap(
      { namespace, name: "first", body: { data: { a: "2" } } },
      as(PatchStrategy.MergePatch),
    );
    await core.deleteNamespacedConfigMap({ namespace, name: "second" });
    await until(() => observed.length >= 4, `saw ${observed.join(", ")}`);
    assert.deepEqual(observed, ["add first", "add second", "update first", "delete second"]);
    assert.deepEqual(
      informer.list().map((object) => object.metadata?.name),
      ["first"],
    );
    await informer.stop();
  });
});

function isCode(code: number): (error: unknown) => boolean {
  return (error) => error instanceof ApiException && error.code === code;
}
