import type { AnyObject } from "@trivium/kube";
import { dialects } from "@trivium/local";
import { plainStatusGuide, type StatusGuide } from "@trivium/reconcile";

const byGroup = new Map(dialects.map(({ group, statusGuide }) => [group, statusGuide]));

/** How the status of this object is read: its dialect knows. */
export const guideOf = ({ apiVersion }: AnyObject): StatusGuide =>
  byGroup.get(apiVersion.split("/")[0] ?? "") ?? plainStatusGuide;
