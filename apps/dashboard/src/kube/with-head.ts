import type { AnyObject, Kind } from "@trivium/kube";

const known = new WeakMap<AnyObject, AnyObject>();

/** Items of a list come without their API version and kind. The same item gives the same object. */
export function withHead({ group, version, kind }: Kind, item: AnyObject): AnyObject {
  const object = known.get(item) ?? {
    ...item,
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
  };
  known.set(item, object);
  return object;
}
