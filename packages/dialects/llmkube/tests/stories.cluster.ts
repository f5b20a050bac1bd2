import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { CustomResourceDefinition, emitCrd, type KubeClient } from "@trivium/kube";
import { clusterBackend, playStory, readStories } from "@trivium/testkit";
import { type ControlPlane, startControlPlane } from "../../../../tools/cluster/control-plane.ts";
import { InferenceService, Model } from "../src/index.ts";
import { operator, storyFolder, thirdPartyApis } from "./story-operator.ts";

const plane = await startControlPlane();
const skip = typeof plane === "string" ? plane : false;
const by = { fieldManager: "stories", force: true } as const;
const wanted = process.env.STORY ?? "";

describe("stories on a real control plane", { skip }, () => {
  const real = plane as ControlPlane;
  let transport: HttpTransport;
  let client: KubeClient;

  before(async () => {
    transport = httpTransport(await loadKubeconfig(real.kubeconfig));
    client = createClient(transport);
    const kinds = [Model, InferenceService].map((kind) => emitCrd(kind));
    for (const crd of [...kinds, ...thirdPartyApis]) await client.apply(CustomResourceDefinition, crd, by);
    const isServed = async () => (await client.discover()).filter(({ group }) => group === Model.group).length === 2;
    while (!(await isServed())) await sleep(100);
  });

  after(async () => {
    await transport?.close();
    await real.stop();
  });

  for (const story of readStories(storyFolder).filter(({ name }) => name.includes(wanted))) {
    test(`${story.name}: ${story.given.about}`, async () => {
      const errors: string[] = [];
      const onError = (message: string, fields: object) => errors.push(`${message} ${Object.values(fields).join(" ")}`);
      await playStory(story, clusterBackend({ client, operator, onError }));
      assert.deepEqual(errors, []);
    });
  }
});
