import type { AnyObject, Kind } from "@trivium/kube";

/** Items of a list come without their API version and kind. */
export const withHead = ({ group, version, kind }: Kind, item: AnyObject): AnyObject => ({
  ...item,
  apiVersion: group === "" ? version : `${group}/${version}`,
  kind,
});
