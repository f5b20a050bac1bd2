import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { HttpTransport } from "@trivium/client";
import type { KubeClient } from "@trivium/kube";
import { checkEmitted } from "../../../../tools/cluster/third-party/check-emitted.ts";
import { installThirdPartyApis } from "../../../../tools/cluster/third-party/install.ts";
import { emittedObjects, servingFolders } from "./catalog-emitted.ts";
import { connect } from "./real-server.ts";

// No module that can be fetched carries the CRD of collectors, so these are left out.
describe("strict validation of all children by a real server, with KServe's kinds", () => {
  let transport: HttpTransport;
  let client: KubeClient;

  before(async () => {
    ({ transport, client } = await connect("strict"));
    await installThirdPartyApis(client);
  });

  after(() => transport?.close());

  for (const { name, objects } of [...emittedObjects(), ...emittedObjects(servingFolders)]) {
    test(name, async () => {
      const judged = objects.filter(({ apiVersion }) => !apiVersion.startsWith("opentelemetry.io/"));
      assert.deepEqual(await checkEmitted(client, judged), []);
    });
  }
});
