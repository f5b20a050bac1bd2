import assert from "node:assert/strict";
import test from "node:test";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import type { AnyObject } from "@trivium/kube";
import { checkEmitted } from "./check-emitted.ts";
import { examples, spoil } from "./examples.ts";
import { installThirdPartyApis } from "./install.ts";

const kubeconfig = process.env.KUBECONFIG_UNDER_TEST;
assert.ok(kubeconfig, "set KUBECONFIG_UNDER_TEST, or run scripts/test-cluster.ts, which does");

test("objects of our neighbours on a real server", async (context) => {
  const transport = httpTransport(await loadKubeconfig(kubeconfig));
  const client = createClient(transport);
  context.after(() => transport.close());
  const crds = await installThirdPartyApis(client, console.error);

  await context.test("there is an example of every kind", () => {
    const kinds = crds.map(({ spec }) => `${spec.group} ${spec.names.kind}`);
    const shown = examples.map(({ good }) => `${good.apiVersion.split("/")[0]} ${good.kind}`);
    assert.deepEqual(shown.toSorted(), kinds.toSorted());
  });

  for (const { good, spoiled } of examples) {
    const kind = `${good.apiVersion} ${good.kind}`;
    await context.test(`${kind}: a good one passes`, async () => {
      assert.deepEqual(await checkEmitted(client, [good]), []);
    });
    for (const { path, value, blamed } of spoiled)
      await context.test(`${kind}: ${path.join(".")} = ${JSON.stringify(value)} is found`, async () => {
        const faults = await checkEmitted(client, [spoil(good, path, value)]);
        assert.ok(
          faults.some(({ field }) => field === blamed),
          `${blamed} is not blamed in ${JSON.stringify(faults)}`,
        );
      });
  }

  await context.test("an object that is there already is tried as an apply", async () => {
    const config: AnyObject = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "there", namespace: "neighbours" },
      data: { a: "1" },
    };
    const kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", namespaced: true };
    await client.apply(kind, config, { fieldManager: "somebody", force: true });
    assert.deepEqual(await checkEmitted(client, [{ ...config, data: { a: "2" } }]), []);
    const [fault] = await checkEmitted(client, [{ ...config, bogus: 1 }]);
    assert.equal(fault?.field, "bogus");
    const stored: AnyObject = await client.get(kind, { name: "there", namespace: "neighbours" });
    assert.deepEqual(stored.data, { a: "1" });
  });

  await context.test("built-in kinds, all faults of an object, and kinds that nobody serves", async () => {
    const pod: AnyObject = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { generateName: "server-", namespace: "neighbours" },
      spec: { containers: [{ name: "server", image: "registry.example/server:1" }] },
    };
    assert.deepEqual(await checkEmitted(client, [pod]), []);
    const misspelt = spoil(spoil(pod, ["spec", "bogus"], 1), ["spec", "containers", 0, "imagee"], "x");
    const object = "v1 Pod neighbours/server-…";
    assert.deepEqual(await checkEmitted(client, [misspelt, { ...pod, apiVersion: "v9" }]), [
      { object, field: "spec.containers[0].imagee", message: "unknown field" },
      { object, field: "spec.bogus", message: "unknown field" },
      { object: object.replace("v1", "v9"), message: "the server does not serve this kind" },
    ]);
    const wrong = spoil(spoil(pod, ["spec", "restartPolicy"], "Sometimes"), ["spec", "containers", 0, "name"], "NO");
    const fields = (await checkEmitted(client, [wrong])).map(({ field }) => field);
    assert.deepEqual(fields.toSorted(), ["spec.containers[0].name", "spec.restartPolicy"]);
  });
});
