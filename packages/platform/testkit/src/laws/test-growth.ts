import assert from "node:assert/strict";
import { test } from "node:test";
import { type Kind, type KubeClient, Pod } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";
import { type GrowthCase, growthOf, growthSizes, nameOfObject } from "./growth.ts";
import { placePod, podWorlds } from "./growth-pods.ts";
import type { Picker } from "./picker.ts";

/** Many like services of a dialect. */
export interface ManyServices extends Pick<GrowthCase, "kinds" | "reconcilers" | "answers" | "prepare" | "changes"> {
  /** Creates a service of this name in the namespace, with what it needs; returns the name of its Deployment. */
  createService(client: KubeClient, name: string): Promise<string>;
  /** An edit of one service. */
  readonly edit: { readonly kind: Kind; readonly body: JsonObject };
  /** A merge patch of a service, from random choices. */
  vary?(pick: Picker): JsonObject;
  /** An edit that changes its pods, where the other one does not. */
  readonly restart?: { readonly kind: Kind; readonly body: JsonObject };
}

/** Where the services are. */
export const growthNamespace = "default";
const namespace = growthNamespace;

/** Whether a change triggers its dependants only, among services whose pods wait, fail or run. */
export function testGrowth({ createService, edit, changes, ...dialect }: ManyServices): void {
  for (const world of podWorlds) {
    test(`growth: the change of one object among many ${world} services triggers its dependants only`, async () => {
      const growth: GrowthCase = {
        ...dialect,
        async create(client, i, settle) {
          const deployment = await createService(client, nameOfObject(i));
          await settle();
          await placePod(client, { namespace, name: deployment }, world);
          await settle();
        },
        changes: {
          "a service is edited": {
            apply: async (client, size) => {
              const { kind, body } = edit;
              await client.patch(kind, { namespace, name: nameOfObject(size - 1) }, { type: "merge", body });
            },
          },
          "a pod is labelled": { apply: labelPod },
          ...changes,
        },
      };
      assert.deepEqual(await growthOf(growth, growthSizes.services), []);
    });
  }
}

async function labelPod(client: KubeClient, size: number): Promise<void> {
  const body = { metadata: { labels: { seen: `at-${size}` } } };
  const [pod] = (await client.list(Pod, { namespace })).items;
  await client.patch(Pod, { namespace, name: pod?.metadata.name ?? "" }, { type: "merge", body });
}
