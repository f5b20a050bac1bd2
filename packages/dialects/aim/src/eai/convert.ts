import type { SiblingGroup } from "@trivium/domain";
import type { AnyObject } from "@trivium/kube";
import { isObject } from "@trivium/std";
import { group } from "../group.ts";
import { eaiGroup } from "./group.ts";
import { toNewer, toOlder } from "./objects.ts";

/** The newer group has only the newer names of these kinds, with the same fields. */
const newerModels: Readonly<Record<string, string>> = { AIMImage: "AIMModel", AIMClusterImage: "AIMClusterModel" };

const alwaysCached =
  "weights are always cached in aim.eai.amd.com and are downloaded again; pods are kept until the service changes";
const ownCache =
  "the cache of a service of its own gets a new claim; weights are downloaded again; pods are kept until the service changes";

export const olderSibling: SiblingGroup = {
  group: group.group,
  service: "AIMService",
  translate(object) {
    const { kind } = object;
    const newer = toNewer({ ...object, kind: newerModels[kind] ?? kind });
    return { object: newer, notes: kind === "AIMService" ? notesOf(object) : {} };
  },
};

export const newerSibling: SiblingGroup = {
  group: eaiGroup.group,
  service: "AIMService",
  translate: (object) => ({ object: toOlder(object), notes: {} }),
};

/** Which services do not keep their caches: those whose weights are not in a cache that services share. */
function notesOf({ spec }: AnyObject): Record<string, string> {
  const { cacheModel, caching, model } = (spec ?? {}) as { cacheModel?: boolean; caching?: unknown; model?: unknown };
  const mode = isObject(caching) ? caching.mode : undefined;
  if (mode === "Shared" || mode === "Always" || (mode === undefined && cacheModel === true)) return {};
  const isOwn = mode === undefined ? isObject(model) && model.custom !== undefined : mode !== "Auto";
  return {
    [cacheModel === false && mode === undefined ? "spec.cacheModel" : "spec.caching"]: isOwn ? ownCache : alwaysCached,
  };
}
