import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { CustomResourceDefinition, emitCrd, type KubeClient } from "@trivium/kube";
import { clusterBackend, embeddedBackend, playStory } from "@trivium/testkit";
import { type ControlPlane, startControlPlane } from "../../../../tools/cluster/control-plane.ts";
import { thirdPartyApiDefinitions } from "../../../../tools/cluster/third-party/definitions.ts";
import { installThirdPartyApis } from "../../../../tools/cluster/third-party/install.ts";
import { ome } from "../src/index.ts";
import { hasThirdPartyApis, modelStore, operator, stories } from "./story-operator.ts";

const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;
const by = { fieldManager: "stories", force: true } as const;

function faultBook() {
  const errors: string[] = [];
  const onError = (message: string, fields: object) => errors.push(`${message} ${Object.values(fields).join(" ")}`);
  return { errors, onError };
}

describe("stories on the embedded server, with kinds of others where they are needed", { skip }, () => {
  for (const story of stories()) {
    test(`${story.name}: ${story.given.about}`, async () => {
      const { errors, onError } = faultBook();
      const thirdPartyApis = hasThirdPartyApis(story) ? thirdPartyApiDefinitions(() => {}).filter(isEmitted) : [];
      await playStory(
        story,
        embeddedBackend({ kinds: [...ome.kinds] as never, thirdPartyApis, operator, modelStore, onError }),
      );
      assert.deepEqual(errors, []);
    });
  }
});

/** Of all neighbours those whose kinds this dialect creates or reads. */
const isEmitted = ({ metadata }: CustomResourceDefinition): boolean =>
  [
    "leaderworkersets.leaderworkerset.x-k8s.io",
    "scaledobjects.keda.sh",
    "services.serving.knative.dev",
    "httproutes.gateway.networking.k8s.io",
    "gatewayclasses.gateway.networking.k8s.io",
  ].includes(metadata.name ?? "");

describe("stories on a real control plane", { skip }, () => {
  const real = plane as ControlPlane;
  let transport: HttpTransport;
  let client: KubeClient;

  before(async () => {
    transport = httpTransport(await loadKubeconfig(real.kubeconfig));
    client = createClient(transport);
    for (const kind of ome.kinds) await client.apply(CustomResourceDefinition, emitCrd(kind), by);
    await installThirdPartyApis(client);
    const served = async () => (await client.discover()).filter(({ group }) => group === ome.group).length;
    while ((await served()) < ome.kinds.length) await sleep(100);
  });

  after(async () => {
    await transport?.close();
    await real.stop();
  });

  for (const story of stories()) {
    test(`${story.name}: ${story.given.about}`, async () => {
      const { errors, onError } = faultBook();
      await playStory(story, clusterBackend({ client, operator, modelStore, onError }));
      assert.deepEqual(errors, []);
    });
  }
});
