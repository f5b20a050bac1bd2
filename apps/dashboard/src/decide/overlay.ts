import { type AnyObject, groupResourceOf, type Kind, type KubeClient } from "@trivium/kube";

export interface OverlaidObject {
  readonly kind: Kind;
  readonly object: AnyObject;
}

/** An API as it would be with some more objects: reads find these first. */
export function overlay(client: KubeClient, objects: readonly OverlaidObject[]): KubeClient {
  const of = (kind: Kind): AnyObject[] =>
    objects.filter((one) => groupResourceOf(one.kind) === groupResourceOf(kind)).map(({ object }) => object);
  const keyOf = ({ metadata }: Pick<AnyObject, "metadata">): string => `${metadata.namespace ?? ""}/${metadata.name}`;
  const get: KubeClient["get"] = async (kind, ref, options) => {
    const found = of(kind).find((one) => keyOf(one) === `${ref.namespace ?? ""}/${ref.name}`);
    return found === undefined ? client.get(kind, ref, options) : (found as never);
  };
  const list: KubeClient["list"] = async (kind, options) => {
    const live = await client.list(kind, options);
    const { namespace } = (options ?? {}) as { namespace?: string };
    const added = of(kind).filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
    const names = new Set(added.map(keyOf));
    return { ...live, items: [...live.items.filter((one) => !names.has(keyOf(one))), ...(added as never[])] };
  };
  return { ...client, get, list };
}
