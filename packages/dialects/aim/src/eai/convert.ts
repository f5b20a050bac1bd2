import type { SiblingGroup } from "@trivium/domain";
import type { AnyObject } from "@trivium/kube";
import { isObject } from "@trivium/std";
import { group } from "../group.ts";
import { eaiGroup } from "./group.ts";
import { toNewer, toOlder } from "./objects.ts";

/** The newer group has only the newer names of these kinds, with the same fields. */
const newerModels: Readonly<Record<string, string>> = { AIMImage: "AIMModel", AIMClusterImage: "AIMClusterModel" };

const alwaysCached =
  "weights are always cached in aim.eai.amd.com, in a cache that services share; the pods of the service are replaced once";

export const olderSibling: SiblingGroup = {
  group: group.group,
  translate(object) {
    const { kind } = object;
    const newer = toNewer({ ...object, kind: newerModels[kind] ?? kind });
    return { object: newer, notes: kind === "AIMService" ? notesOf(object) : {} };
  },
};

export const newerSibling: SiblingGroup = {
  group: eaiGroup.group,
  translate: (object) => ({ object: toOlder(object), notes: {} }),
};

/** What a service of the older group asks for that the newer one does not have. */
function notesOf({ spec }: AnyObject): Record<string, string> {
  const { cacheModel, caching } = (spec ?? {}) as { cacheModel?: boolean; caching?: unknown };
  const mode = isObject(caching) ? caching.mode : undefined;
  return {
    ...(mode === "Auto" ? { "spec.caching": alwaysCached } : {}),
    ...(cacheModel === false && mode === undefined ? { "spec.cacheModel": alwaysCached } : {}),
  };
}
