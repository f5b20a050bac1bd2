import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { CustomResourceDefinition, emitCrd, type KubeClient } from "@trivium/kube";
import { checkEmitted } from "../../../../tools/cluster/third-party/check-emitted.ts";
import { installThirdPartyApis } from "../../../../tools/cluster/third-party/install.ts";
import { aim } from "../src/index.ts";
import { emittedObjects, servingFolders } from "./catalog-emitted.ts";

const kubeconfig = process.env.KUBECONFIG_UNDER_TEST;
assert.ok(kubeconfig, "set KUBECONFIG_UNDER_TEST, or run scripts/test-cluster.ts, which does");

// No module that can be fetched carries the CRD of collectors, so these are left out.
describe("strict validation of all children by a real server, with KServe's kinds", () => {
  let transport: HttpTransport;
  let client: KubeClient;

  before(async () => {
    transport = httpTransport(await loadKubeconfig(kubeconfig));
    client = createClient(transport);
    for (const kind of aim.kinds)
      await client.apply(CustomResourceDefinition, emitCrd(kind), { fieldManager: "strict", force: true });
    await installThirdPartyApis(client);
    const served = async () => (await client.discover()).filter(({ group }) => group === aim.group).length;
    while ((await served()) < aim.kinds.length) await sleep(100);
  });

  after(() => transport?.close());

  for (const { name, objects } of [...emittedObjects(), ...emittedObjects(servingFolders)]) {
    test(name, async () => {
      const judged = objects.filter(({ apiVersion }) => !apiVersion.startsWith("opentelemetry.io/"));
      assert.deepEqual(await checkEmitted(client, judged), []);
    });
  }
});
