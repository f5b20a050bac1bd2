import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Cluster, startCluster } from "@trivium/testkit";
import { checkEmitted } from "../../../../tools/cluster/neighbours/check-emitted.ts";
import { ome } from "../src/index.ts";
import { emittedObjects, exampleObjects } from "./emitted.ts";

describe("strict validation by the embedded server", () => {
  let cluster: Cluster;
  before(async () => {
    cluster = await startCluster([...ome.kinds]);
  });
  after(() => cluster.close());

  for (const { name, objects } of [...exampleObjects(), ...emittedObjects()]) {
    test(name, async () => {
      const known = objects.filter(({ apiVersion }) => !apiVersion.startsWith("gateway.networking"));
      assert.deepEqual(await checkEmitted(cluster.client, known), []);
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
