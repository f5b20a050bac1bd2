import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type HttpTransport, httpTransport, loadKubeconfig } from "@trivium/client";
import { CustomResourceDefinition, emitCrd, groupResourceOf, type KubeClient } from "@trivium/kube";
import { clusterBackend, playStory, readStories, type Story } from "@trivium/testkit";
import { type ControlPlane, startControlPlane } from "../../../../tools/cluster/control-plane.ts";
import { thirdPartyApiDefinitions } from "../../../../tools/cluster/third-party/definitions.ts";
import { aim } from "../src/index.ts";
import { operator, storyFolder, thirdPartyApis } from "./story-operator.ts";

const by = { fieldManager: "stories", force: true } as const;
const wanted = process.env.STORY ?? "";

/** Plays the stories that are meant, one after the other, on a control plane of their own. */
export async function playOnControlPlane(isMeant: (story: Story) => boolean): Promise<void> {
  const plane = await startControlPlane();
  const skip = typeof plane === "string" ? plane : false;
  describe("stories on a real control plane", { skip }, () => {
    const real = plane as ControlPlane;
    let transport: HttpTransport;
    let client: KubeClient;

    before(async () => {
      transport = httpTransport(await loadKubeconfig(real.kubeconfig));
      client = createClient(transport);
      await install(client, [...aim.kinds.map((kind) => emitCrd(kind)), ...thirdPartyApis]);
    });

    after(async () => {
      await transport?.close();
      await real.stop();
    });

    for (const story of storiesFor(isMeant)) {
      test(`${story.name}: ${story.given.about}`, async () => {
        if (story.given.installs?.includes("kserve")) await install(client, kserveDefinitions());
        const errors: string[] = [];
        const onError = (message: string, fields: object) =>
          errors.push(`${message} ${Object.values(fields).join(" ")}`);
        await playStory(story, clusterBackend({ client, operator, onError }));
        assert.deepEqual(errors, []);
      });
    }
  });
}

/** KServe stays once it is there, so stories that have it come last. */
const storiesFor = (isMeant: (story: Story) => boolean): Story[] =>
  readStories(storyFolder)
    .filter((story) => story.name.includes(wanted) && isMeant(story))
    .sort((a, b) => (a.given.installs?.length ?? 0) - (b.given.installs?.length ?? 0));

const kserveDefinitions = (): CustomResourceDefinition[] =>
  thirdPartyApiDefinitions(() => {}).filter(({ spec }) => spec.group === "serving.kserve.io");

/** Resolves when all are served. */
async function install(client: KubeClient, definitions: readonly CustomResourceDefinition[]): Promise<void> {
  for (const definition of definitions) await client.apply(CustomResourceDefinition, definition, by);
  const served = async () => new Set((await client.discover()).map((kind) => groupResourceOf(kind)));
  const isMissing = (names: ReadonlySet<string>) => definitions.some(({ metadata }) => !names.has(metadata.name ?? ""));
  while (isMissing(await served())) await sleep(100);
}
