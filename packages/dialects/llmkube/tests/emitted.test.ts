import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CustomResourceDefinition, gatewayApiCrds } from "@trivium/kube";
import { type Cluster, startCluster } from "@trivium/testkit";
import { checkEmitted } from "../../../../tools/cluster/third-party/check-emitted.ts";
import { InferenceService, Model } from "../src/index.ts";
import { emittedObjects, exampleObjects } from "./emitted.ts";

describe("strict validation by the embedded server", () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster([Model, InferenceService]);
    for (const crd of await gatewayApiCrds())
      await cluster.client.apply(CustomResourceDefinition, crd, { fieldManager: "strict", force: true });
  });
  after(() => cluster.close());

  for (const { name, objects } of [...exampleObjects(), ...emittedObjects()]) {
    test(name, async () => {
      assert.deepEqual(await checkEmitted(cluster.client, objects), []);
    });
  }

  test("a field that does not exist is found", async () => {
    const [deployment] = emittedObjects().flatMap(({ objects }) => objects.filter(({ kind }) => kind === "Deployment"));
    const spoiled = { ...structuredClone(deployment), bogus: 1 } as never;
    assert.deepEqual(
      (await checkEmitted(cluster.client, [spoiled])).map(({ field }) => field),
      ["bogus"],
    );
  });
});
