import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { CustomResourceDefinition, gatewayApiCrds } from "@trivium/kube";
import { type Cluster, startCluster } from "@trivium/testkit";
import { checkEmitted } from "../../../../tools/cluster/third-party/check-emitted.ts";
import { aim } from "../src/index.ts";
import { emittedObjects, servingFolders } from "./catalog-emitted.ts";

/** Their kinds are judged by a real cluster: see emitted.cluster.ts. */
const thirdPartyApis = ["serving.kserve.io", "keda.sh", "opentelemetry.io"];

describe("strict validation of what serves by the embedded server", () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster([...aim.kinds]);
    for (const crd of await gatewayApiCrds())
      await cluster.client.apply(CustomResourceDefinition, crd, { fieldManager: "strict", force: true });
  });
  after(() => cluster.close());

  for (const { name, objects } of emittedObjects(servingFolders)) {
    test(name, async () => {
      const own = objects.filter(
        ({ apiVersion }) => !thirdPartyApis.some((group) => apiVersion.startsWith(`${group}/`)),
      );
      assert.deepEqual(await checkEmitted(cluster.client, own), []);
    });
  }
});
