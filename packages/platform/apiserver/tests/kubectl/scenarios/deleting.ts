import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kubectl } from "../kubectl.ts";
import { configMap, documents, widget } from "../manifests.ts";
import type { Scenario } from "../scenario.ts";

/** Ways for objects to go, and what becomes of those they own. */
export const deleting: Scenario = (stage) => {
  it("one, many, by label, by file, all", async () => {
    const { kubectl } = stage();
    const toys = ["a", "b", "c", "d", "e"].map((name) =>
      widget(name, { size: 1 }, { labels: { odd: String("ace".includes(name)) } }),
    );
    await kubectl.given(documents(...toys)).ok`create -f -`;
    assert.equal(await kubectl.ok`delete wd a`, 'widget.kubectl.example.dev "a" deleted\n');
    assert.match(await kubectl.fails`delete wd a`, /widgets\.kubectl\.example\.dev "a" not found/);
    assert.equal(await kubectl.ok`delete wd a --ignore-not-found`, "");
    assert.equal(
      await kubectl.ok`delete wd -l odd=true`,
      'widget.kubectl.example.dev "c" deleted\nwidget.kubectl.example.dev "e" deleted\n',
    );
    assert.equal(
      await kubectl.given(widget("b", { size: 1 })).ok`delete -f -`,
      'widget.kubectl.example.dev "b" deleted\n',
    );
    assert.equal(await kubectl.ok`delete wd --all`, 'widget.kubectl.example.dev "d" deleted\n');
  });

  it("a finalizer holds an object until it is taken off", async () => {
    const { kubectl } = stage();
    await kubectl.given(widget("held", { size: 1 }, { finalizers: ["example.dev/hold"] })).ok`create -f -`;
    await kubectl.ok`delete wd held --wait=false`;
    assert.match(await kubectl.ok`get wd held -o jsonpath={.metadata.deletionTimestamp}`, /^\d{4}-/);
    // It still says nothing after a second, so it has looked and waits.
    assert.match(await kubectl.fails`wait wd/held --for=delete --timeout=1s`, /timed out waiting/);
    await kubectl.ok`patch wd held --type=merge -p ${'{"metadata":{"finalizers":null}}'}`;
    await gone(kubectl, "wd/held");
    assert.match(await kubectl.fails`get wd held`, /not found/);
  });

  it("dependents are orphaned when asked", async () => {
    const { kubectl, isEmbedded } = stage();
    await family(kubectl, "o");
    if (!isEmbedded) return;
    assert.match(await kubectl.ok`delete wd o --cascade=orphan`, /deleted/);
    await gone(kubectl, "wd/o");
    assert.equal(await kubectl.ok`get cm o-child -o jsonpath={.metadata.ownerReferences}`, "");
  });

  it("dependents go in the background", async () => {
    const { kubectl, isEmbedded } = stage();
    await family(kubectl, "b");
    assert.match(await kubectl.ok`delete wd b --cascade=background`, /deleted/);
    if (isEmbedded) await gone(kubectl, "cm/b-child");
  });

  it("dependents go first in the foreground", async () => {
    const { kubectl, isEmbedded } = stage();
    await family(kubectl, "f");
    if (!isEmbedded) return;
    assert.match(await kubectl.ok`delete wd f --cascade=foreground`, /deleted/);
    assert.equal(await kubectl.ok`get cm f-child --ignore-not-found`, "");
    assert.equal(await kubectl.ok`get wd f --ignore-not-found`, "");
  });

  it("pods go gracefully or at once", async () => {
    const { kubectl } = stage();
    await kubectl.ok`run p --image=busybox`;
    const forced = await kubectl.both`delete pod p --grace-period=0 --force`;
    assert.match(forced.stderr, /Immediate deletion does not wait for confirmation/);
    assert.match(forced.stdout, /pod "p" force deleted/);
    assert.equal(await kubectl.ok`get pod p --ignore-not-found`, "");
  });

  it("a namespace takes everything with it", async () => {
    const { kubectl, isEmbedded } = stage();
    if (!isEmbedded) return;
    const name = `${kubectl.namespace}-inner`;
    await kubectl.ok`create ns ${name}`;
    await kubectl.given(documents(configMap("x", {}), widget("toy", { size: 1 }))).ok`create -n ${name} -f -`;
    assert.equal(await kubectl.ok`delete ns ${name}`, `namespace "${name}" deleted\n`);
    assert.equal(await kubectl.ok`get ns ${name} --ignore-not-found`, "");
    assert.equal(await kubectl.ok`get wd -n ${name} -o name`, "");
  });
};

async function family(kubectl: Kubectl, name: string): Promise<void> {
  await kubectl.given(widget(name, { size: 1 })).ok`create -f -`;
  const uid = await kubectl.ok`get wd ${name} -o jsonpath={.metadata.uid}`;
  const owner = {
    apiVersion: "kubectl.example.dev/v1alpha1",
    kind: "Widget",
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  await kubectl.given(configMap(`${name}-child`, {}, { ownerReferences: [owner] })).ok`create -f -`;
}

async function gone(kubectl: Kubectl, what: string): Promise<void> {
  const outcome = await kubectl.outcome`wait ${what} --for=delete --timeout=120s`;
  // kubectl 1.32 says NotFound when it was gone before it looked.
  if (outcome.code !== 0) assert.match(outcome.stderr, /not found/);
}
