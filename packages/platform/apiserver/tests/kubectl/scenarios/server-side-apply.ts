import assert from "node:assert/strict";
import { it } from "node:test";
import { configMap, deployment, widget } from "../manifests.ts";
import type { Scenario } from "../scenario.ts";

/** Several managers of one object. */
export const serverSideApply: Scenario = (stage) => {
  it("two managers share an object until they want the same field", async () => {
    const { kubectl } = stage();
    const applied = await kubectl.given(configMap("shared", { a: "1" }))
      .ok`apply --server-side --field-manager=one -f -`;
    assert.equal(applied, "configmap/shared serverside-applied\n");
    await kubectl.given(configMap("shared", { b: "2" })).ok`apply --server-side --field-manager=two -f -`;
    assert.equal(await kubectl.ok`get cm shared -o jsonpath={.data}`, '{"a":"1","b":"2"}');
    const refused = await kubectl.given(configMap("shared", { a: "mine" }))
      .outcome`apply --server-side --field-manager=two -f -`;
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /error: Apply failed with 1 conflict: conflict with "one": \.data\.a\n/);
    const forced = configMap("shared", { a: "mine", b: "2" });
    await kubectl.given(forced).ok`apply --server-side --field-manager=two --force-conflicts -f -`;
    assert.equal(await kubectl.ok`get cm shared -o jsonpath={.data.a}`, "mine");
    const managers = "{range .metadata.managedFields[*]}{.manager} {.operation} {.fieldsV1.f:data}{'\\n'}{end}";
    assert.equal(
      await kubectl.ok`get cm shared --show-managed-fields -o jsonpath=${managers}`,
      'two Apply {"f:a":{},"f:b":{}}\n',
    );
  });

  it("a field that its only manager stops sending goes away", async () => {
    const { kubectl } = stage();
    const both = widget("w", { size: 3, note: "x", parts: [{ name: "a" }, { name: "b", count: 2 }] });
    await kubectl.given(both).ok`apply --server-side -f -`;
    await kubectl.given(widget("w", { size: 3, parts: [{ name: "b", count: 2 }] })).ok`apply --server-side -f -`;
    const spec = JSON.parse(await kubectl.ok`get wd w -o jsonpath={.spec}`);
    assert.deepEqual(spec, { note: "plain", parts: [{ count: 2, name: "b" }], replicas: 1, size: 3 });
  });

  it("elements of a keyed list belong to whoever sent them", async () => {
    const { kubectl } = stage();
    const part = (name: string, count: number) => widget("k", { size: 1, parts: [{ name, count }] });
    await kubectl.given(part("a", 1)).ok`apply --server-side --field-manager=one -f -`;
    await kubectl.given(part("b", 2)).ok`apply --server-side --field-manager=two -f -`;
    assert.equal(await kubectl.ok`get wd k -o jsonpath={.spec.parts[*].name}`, "a b");
    const clash = await kubectl.given(part("a", 7)).fails`apply --server-side --field-manager=two -f -`;
    assert.match(clash, /conflict with "one": \.spec\.parts\[name="a"\]\.count/);
  });

  it("kubectl moves from client-side to server-side apply", async () => {
    const { kubectl } = stage();
    await kubectl.given(deployment("moved")).ok`apply -f -`;
    await kubectl.given(deployment("moved", { replicas: 5 })).ok`apply --server-side -f -`;
    assert.equal(await kubectl.ok`get deploy moved -o jsonpath={.spec.replicas}`, "5");
    const managers =
      await kubectl.ok`get deploy moved --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}`;
    assert.equal(managers, "kubectl-last-applied kubectl");
  });

  it("an update takes fields over, and the manager is told", async () => {
    const { kubectl } = stage();
    await kubectl.given(widget("t", { size: 3 })).ok`apply --server-side --field-manager=gitops -f -`;
    await kubectl.ok`patch wd t --type=merge -p ${'{"spec":{"size":4}}'}`;
    const refused = await kubectl.given(widget("t", { size: 3 }))
      .fails`apply --server-side --field-manager=gitops -f -`;
    assert.match(
      refused,
      /Apply failed with 1 conflict: conflict with "kubectl-patch" using kubectl\.example\.dev\/v1alpha1( at \S+)?: \.spec\.size/,
    );
    await kubectl.given(widget("t", { size: 4 })).ok`apply --server-side --field-manager=gitops -f -`;
  });
};
