import assert from "node:assert/strict";
import { test } from "node:test";
import { type Kind, type KubeClient, Pod } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";
import { type GrowthCase, growthOf } from "./growth.ts";
import { placePod, podWorlds } from "./growth-pods.ts";

/** Many like services of a dialect. */
export interface ManyServices extends Pick<GrowthCase, "kinds" | "reconcilers" | "answers" | "prepare" | "changes"> {
  /** Creates a service of this name in the namespace, with what it needs; returns the name of its Deployment. */
  createService(client: KubeClient, name: string): Promise<string>;
  /** An edit of one service. */
  readonly edit: { readonly kind: Kind; readonly body: JsonObject };
}

/** Where the services are. */
export const growthNamespace = "default";
const namespace = growthNamespace;
export const nameOfService = (i: number): string => `s${String(i).padStart(3, "0")}`;

/** Whether a change triggers its dependants only, among services whose pods wait, fail or run. */
export function testGrowth({ createService, edit, changes, ...dialect }: ManyServices): void {
  for (const world of podWorlds) {
    test(`growth: the change of one object among many ${world} services triggers its dependants only`, async () => {
      const growth: GrowthCase = {
        ...dialect,
        async create(client, i, settle) {
          const deployment = await createService(client, nameOfService(i));
          await settle();
          await placePod(client, { namespace, name: deployment }, world);
          await settle();
        },
        changes: {
          "a service is edited": {
            apply: async (client, size) => {
              const { kind, body } = edit;
              await client.patch(kind, { namespace, name: nameOfService(size - 1) }, { type: "merge", body });
            },
          },
          "a pod is labelled": { apply: labelPod },
          ...changes,
        },
      };
      assert.deepEqual(await growthOf(growth, { small: 3, large: 24 }), []);
    });
  }
}

async function labelPod(client: KubeClient): Promise<void> {
  const body = { metadata: { labels: { seen: "yes" } } };
  const [pod] = (await client.list(Pod, { namespace })).items;
  await client.patch(Pod, { namespace, name: pod?.metadata.name ?? "" }, { type: "merge", body });
}
