import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Cluster, startCluster } from "@trivium/testkit";
import { checkEmitted } from "../../../../tools/cluster/third-party/check-emitted.ts";
import { aim } from "../src/index.ts";
import { emittedObjects } from "./catalog-emitted.ts";

describe("strict validation of the catalog's children by the embedded server", () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster([...aim.kinds]);
  });
  after(() => cluster.close());

  for (const { name, objects } of emittedObjects()) {
    test(name, async () => {
      // The kinds of others are served by a real cluster: see emitted.cluster.ts.
      const own = objects.filter(({ apiVersion }) => !apiVersion.startsWith("serving.kserve.io/"));
      assert.deepEqual(await checkEmitted(cluster.client, own), []);
    });
  }
});
