import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { CustomResourceDefinition, emitCrd, type KubeClient } from "@trivium/kube";
import { checkEmitted } from "../../../../tools/cluster/third-party/check-emitted.ts";
import { installThirdPartyApis } from "../../../../tools/cluster/third-party/install.ts";
import { ome } from "../src/index.ts";
import { emittedObjects, exampleObjects, isThirdPartyApis } from "./emitted.ts";

const kubeconfig = process.env.KUBECONFIG_UNDER_TEST;
assert.ok(kubeconfig, "set KUBECONFIG_UNDER_TEST, or run scripts/test-cluster.ts, which does");

describe("strict validation of all children by a real server, with the kinds of neighbours", () => {
  let transport: HttpTransport;
  let client: KubeClient;

  before(async () => {
    transport = httpTransport(await loadKubeconfig(kubeconfig));
    client = createClient(transport);
    for (const kind of ome.kinds)
      await client.apply(CustomResourceDefinition, emitCrd(kind), { fieldManager: "strict", force: true });
    await installThirdPartyApis(client);
    const served = async () => (await client.discover()).filter(({ group }) => group === ome.group).length;
    while ((await served()) < ome.kinds.length) await sleep(100);
  });

  after(() => transport?.close());

  for (const { name, objects } of [...exampleObjects(), ...emittedObjects()]) {
    test(name, async () => {
      assert.deepEqual(await checkEmitted(client, objects), []);
    });
  }

  test("every kind of neighbour that services are made of is among them", () => {
    const kinds = emittedObjects().flatMap(({ objects }) => objects.filter(isThirdPartyApis).map(({ kind }) => kind));
    for (const kind of ["LeaderWorkerSet", "Service", "ScaledObject", "HTTPRoute", "VirtualService"])
      assert.ok(kinds.includes(kind), kind);
  });
});
