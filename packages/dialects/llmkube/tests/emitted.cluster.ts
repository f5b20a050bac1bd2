import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { CustomResourceDefinition, emitCrd, gatewayApiCrds, groupResourceOf, type KubeClient } from "@trivium/kube";
import { checkEmitted } from "../../../../tools/cluster/third-party/check-emitted.ts";
import { InferenceService, Model } from "../src/index.ts";
import { emittedObjects, exampleObjects } from "./emitted.ts";

const kubeconfig = process.env.KUBECONFIG_UNDER_TEST;
assert.ok(kubeconfig, "set KUBECONFIG_UNDER_TEST, or run scripts/test-cluster.ts, which does");

describe("strict validation by a real server", () => {
  let transport: HttpTransport;
  let client: KubeClient;

  before(async () => {
    transport = httpTransport(await loadKubeconfig(kubeconfig));
    client = createClient(transport);
    const definitions = [emitCrd(Model), emitCrd(InferenceService), ...(await gatewayApiCrds())];
    for (const crd of definitions)
      await client.apply(CustomResourceDefinition, crd, { fieldManager: "strict", force: true });
    const names = definitions.map(({ metadata }) => metadata.name ?? "");
    const isServed = async () => {
      const served = new Set((await client.discover()).map((kind) => groupResourceOf(kind)));
      return names.every((name) => served.has(name));
    };
    while (!(await isServed())) await sleep(100);
  });

  after(() => transport?.close());

  for (const { name, objects } of [...exampleObjects(), ...emittedObjects()]) {
    test(name, async () => {
      assert.deepEqual(await checkEmitted(client, objects), []);
    });
  }
});
