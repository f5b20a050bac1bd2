import { apiVersionOf, type Kind, type KubeObject } from "@trivium/kube";
import { type GrowthCase, growthOf } from "./growth.ts";
import { placeChildren } from "./growth-children.ts";
import type { PodWorld } from "./growth-pods.ts";

/** An object that people apply, without its name. */
export interface NamedLater {
  readonly kind: Kind;
  readonly spec: object;
}

/** The objects that belong to one name; the last is the one that changes. */
export type ObjectsOf = (name: string) => readonly NamedLater[];

const namespace = "default";
const nameOf = (i: number): string => `s${String(i).padStart(3, "0")}`;

/** **Growth** of one kind: in a world of n like objects, whose children are all in the same state, the change of one triggers no others. */
export function growthOfKind(
  operator: Pick<GrowthCase, "kinds" | "reconcilers" | "answers" | "prepare">,
  objectsOf: ObjectsOf,
  state: PodWorld,
): Promise<string[]> {
  const growth: GrowthCase = {
    ...operator,
    async create(client, i, settle) {
      const name = nameOf(i);
      for (const each of objectsOf(name)) await client.create(each.kind, objectOf(each, name));
      await settle();
      await placeChildren(client, namespace, state);
      await settle();
    },
    changes: {
      "one is annotated": {
        async apply(client) {
          const name = nameOf(1);
          const body = { metadata: { annotations: { team: "a" } } };
          const changed = objectsOf(name).at(-1) as NamedLater;
          await client.patch(changed.kind, { namespace, name }, { type: "merge", body });
        },
      },
    },
  };
  return growthOf(growth, { small: 2, large: 10 });
}

function objectOf({ kind, spec }: NamedLater, name: string): KubeObject {
  const metadata = kind.namespaced ? { name, namespace } : { name };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec } as KubeObject;
}
