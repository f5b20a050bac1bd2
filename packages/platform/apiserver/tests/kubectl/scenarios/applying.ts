import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { configMap, deployment, documents, widget } from "../manifests.ts";
import type { Scenario } from "../scenario.ts";

/** Client-side apply and its relatives. */
export const applying: Scenario = (stage) => {
  it("apply creates, changes, and sees when there is nothing to do", async () => {
    const { kubectl } = stage();
    const all = documents(configMap("c", { a: "1", b: "2" }), widget("w", { size: 5 }), deployment("d"));
    const created = await kubectl.given(all).ok`apply -f -`;
    assert.equal(created, "configmap/c created\nwidget.kubectl.example.dev/w created\ndeployment.apps/d created\n");
    const again = await kubectl.given(all).ok`apply -f -`;
    assert.equal(again, "configmap/c unchanged\nwidget.kubectl.example.dev/w unchanged\ndeployment.apps/d unchanged\n");
    const changed = documents(configMap("c", { a: "1" }), widget("w", { size: 6 }), deployment("d", { replicas: 3 }));
    assert.equal(
      await kubectl.given(changed).ok`apply -f -`,
      "configmap/c configured\nwidget.kubectl.example.dev/w configured\ndeployment.apps/d configured\n",
    );
    assert.equal(await kubectl.ok`get cm c -o jsonpath={.data}`, '{"a":"1"}');
    assert.equal(await kubectl.ok`get wd w -o jsonpath=${"{.spec.size} {.metadata.generation}"}`, "6 2");
    assert.equal(await kubectl.ok`get deploy d -o jsonpath=${"{.spec.replicas} {.metadata.generation}"}`, "3 2");
    assert.match(await kubectl.ok`apply view-last-applied cm c`, /^apiVersion: v1\ndata:\n {2}a: "1"\n/);
  });

  it("apply merges lists of a deployment by their keys and takes away what was taken away", async () => {
    const { kubectl } = stage();
    const container = (name: string, image: string) => ({ name, image });
    const pods = (...containers: object[]) => ({
      template: { metadata: { labels: { app: "merged" } }, spec: { containers } },
    });
    await kubectl.given(deployment("merged", pods(container("a", "a:1"), container("b", "b:1")))).ok`apply -f -`;
    await kubectl.ok`set image deploy/merged a=a:9`;
    await kubectl.given(deployment("merged", pods(container("b", "b:2"), container("c", "c:1")))).ok`apply -f -`;
    const images = await kubectl.ok`get deploy merged -o jsonpath={.spec.template.spec.containers[*].image}`;
    assert.equal(images, "b:2 c:1");
  });

  it("diff tells by its exit code and shows the difference", async () => {
    const { kubectl } = stage();
    const before = documents(configMap("diffed", { a: "1" }), widget("diffed", { size: 1 }));
    await kubectl.given(before).ok`apply -f -`;
    assert.equal(await kubectl.given(before).ok`diff -f -`, "");
    const after = documents(configMap("diffed", { a: "2" }), widget("diffed", { size: 2 }));
    const difference = await kubectl.given(after).outcome`diff -f -`;
    assert.equal(difference.code, 1, difference.stderr);
    assert.match(difference.stdout, /- {2}a: "1"\n\+ {2}a: "2"\n/);
    assert.match(difference.stdout, /- {2}generation: 1\n\+ {2}generation: 2\n/);
    assert.match(difference.stdout, /- {2}size: 1\n\+ {2}size: 2\n/);
    assert.equal(await kubectl.ok`get wd diffed -o jsonpath={.spec.size}`, "1");
    const serverSide = await kubectl.given(after).outcome`diff --server-side -f -`;
    assert.equal(serverSide.code, 1, serverSide.stderr);
  });

  it("dry runs leave no trace", async () => {
    const { kubectl } = stage();
    const ghost = documents(configMap("ghost", { a: "1" }), widget("ghost", { size: 1 }));
    assert.match(
      await kubectl.given(ghost).ok`apply --dry-run=server -f -`,
      /widget\S+ghost created \(server dry run\)/,
    );
    assert.match(await kubectl.given(ghost).ok`create --dry-run=server -o yaml -f -`, /note: plain\n/);
    assert.match(await kubectl.given(ghost).ok`apply --dry-run=client -f -`, /configmap\/ghost created \(dry run\)/);
    assert.equal(await kubectl.ok`get cm,wd ghost --ignore-not-found`, "");
    await kubectl.given(widget("kept", { size: 1 })).ok`create -f -`;
    assert.match(await kubectl.ok`delete wd kept --dry-run=server`, /deleted \(server dry run\)/);
    assert.equal(await kubectl.ok`get wd kept -o name`, "widget.kubectl.example.dev/kept\n");
  });

  it("create and replace", async () => {
    const { kubectl } = stage();
    assert.equal(await kubectl.given(configMap("r", { a: "1" })).ok`create -f -`, "configmap/r created\n");
    assert.equal(
      await kubectl.given(configMap("r", { a: "1" })).fails`create -f -`,
      'Error from server (AlreadyExists): error when creating "STDIN": configmaps "r" already exists\n',
    );
    assert.equal(await kubectl.given(configMap("r", { b: "2" })).ok`replace -f -`, "configmap/r replaced\n");
    assert.equal(await kubectl.ok`get cm r -o jsonpath={.data}`, '{"b":"2"}');
    const stale = configMap("r", { b: "3" }, { resourceVersion: "1" });
    assert.match(
      await kubectl.given(stale).fails`replace -f -`,
      /\(Conflict\): error when replacing "STDIN": Operation cannot be fulfilled on configmaps "r": the object has been modified; please apply your changes to the latest version and try again/,
    );
    const uid = await kubectl.ok`get cm r -o jsonpath={.metadata.uid}`;
    assert.match(await kubectl.given(configMap("r", { c: "4" })).ok`replace --force -f -`, /configmap\/r replaced/);
    assert.notEqual(await kubectl.ok`get cm r -o jsonpath={.metadata.uid}`, uid);
    assert.match(await kubectl.given(configMap("absent", {})).fails`replace -f -`, /\(NotFound\)/);
    const generated = "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: made-}\n";
    assert.match(await kubectl.given(generated).ok`create -f -`, /^configmap\/made-[a-z0-9]{5} created\n$/);
  });

  it("kustomizations and folders", async () => {
    const { kubectl, folder } = stage();
    await writeFile(
      join(folder, "kustomization.yaml"),
      "namePrefix: k-\nresources: [widget.yaml]\nlabels: [{pairs: {from: kustomize}}]\n",
    );
    await writeFile(join(folder, "widget.yaml"), widget("custom", { size: 4 }));
    assert.equal(await kubectl.ok`apply -k ${folder}`, "widget.kubectl.example.dev/k-custom created\n");
    assert.equal(await kubectl.ok`get wd -l from=kustomize -o name`, "widget.kubectl.example.dev/k-custom\n");
    assert.equal(await kubectl.ok`delete -k ${folder}`, 'widget.kubectl.example.dev "k-custom" deleted\n');
  });

  it("apply --prune removes what is no longer said", async () => {
    const { kubectl } = stage();
    const label = { labels: { set: "pruned" } };
    await kubectl.given(documents(configMap("p1", { a: "1" }, label), configMap("p2", {}, label))).ok`apply -f -`;
    const pruned = await kubectl.given(configMap("p1", { a: "1" }, label))
      .ok`apply --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap -f -`;
    assert.equal(pruned, "configmap/p1 unchanged\nconfigmap/p2 pruned\n");
  });
};
