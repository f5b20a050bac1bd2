import { apiVersionOf, type Kind, type KubeObject } from "@trivium/kube";
import { type GrowthCase, growthOf, growthSizes, nameOfObject } from "./growth.ts";
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

/** **Growth** of one kind: in a world of n like objects, whose children are all in the same state, the change of one triggers no others. */
export function growthOfKind(
  operator: Pick<GrowthCase, "kinds" | "reconcilers" | "answers" | "prepare"> & Partial<Pick<GrowthCase, "changes">>,
  objectsOf: ObjectsOf,
  state: PodWorld,
): Promise<string[]> {
  const growth: GrowthCase = {
    ...operator,
    async create(client, i, settle) {
      const name = nameOfObject(i);
      for (const each of objectsOf(name)) await client.create(each.kind, objectOf(each, name));
      await settle();
      await placeChildren(client, namespace, state);
      await settle();
    },
    changes: {
      "one is annotated": {
        async apply(client, size) {
          const name = nameOfObject(size - 1);
          const body = { metadata: { annotations: { team: "a" } } };
          const changed = objectsOf(name).at(-1) as NamedLater;
          await client.patch(changed.kind, { namespace, name }, { type: "merge", body });
        },
      },
      ...operator.changes,
    },
  };
  return growthOf(growth, growthSizes.kinds);
}

/** Kinds of a dialect that no growth test changes; those of `elsewhere` are changed by other tests. */
export function untriedKinds(
  kinds: readonly Kind[],
  tried: readonly ObjectsOf[],
  elsewhere: readonly Kind[] = [],
): string[] {
  const names = new Set(
    [...tried.map((objectsOf) => objectsOf("any").at(-1)?.kind), ...elsewhere].map((it) => it?.kind),
  );
  return kinds.map(({ kind }) => kind).filter((kind) => !names.has(kind));
}

function objectOf({ kind, spec }: NamedLater, name: string): KubeObject {
  const metadata = kind.namespaced ? { name, namespace } : { name };
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec } as KubeObject;
}
