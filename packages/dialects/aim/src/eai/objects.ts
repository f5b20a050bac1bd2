import type { KubeObject, OwnerReference } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";
import { group } from "../group.ts";
import { translations } from "./fields.ts";
import { eaiGroup } from "./group.ts";

/** Kinds that are called otherwise in the newer group, by their older names. */
const newerNames = new Map([["AIMModelCache", "AIMArtifact"]]);
const olderNames = turned(newerNames);

export const newerKindName = (kind: string): string => newerNames.get(kind) ?? kind;
const olderKindName = (kind: string): string => olderNames.get(kind) ?? kind;

/** Labels that are called otherwise in the newer group, without their prefix. */
const newerKeys = new Map([
  ["aim-image", "model"],
  ["service-name", "service"],
  ["template-cache", "template-cache.name"],
]);
const olderKeys = turned(newerKeys);

function turned(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...names].map(([older, newer]) => [newer, older]));
}

const apiVersions = {
  older: `${group.group}/${group.version}`,
  newer: `${eaiGroup.group}/${eaiGroup.version}`,
};

/** The prefixes change places, so that a key of the other group means nothing in either, and comes back. */
export function swapKey(key: string): string {
  const [prefix = "", name = ""] = key.split("/");
  if (prefix === group.group) return `${eaiGroup.group}/${newerKeys.get(name) ?? name}`;
  return prefix === eaiGroup.group ? `${group.group}/${olderKeys.get(name) ?? name}` : key;
}

export const swapKeys = (keys: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(keys).map(([key, value]) => [swapKey(key), value]));

/** As with keys: an owner of the other group is not one of the kinds that are looked for. */
export function swapOwner(owner: OwnerReference): OwnerReference {
  if (owner.apiVersion === apiVersions.older)
    return { ...owner, apiVersion: apiVersions.newer, kind: newerKindName(owner.kind) };
  return owner.apiVersion === apiVersions.newer
    ? { ...owner, apiVersion: apiVersions.older, kind: olderKindName(owner.kind) }
    : owner;
}

type Part = JsonObject | undefined;
type WithParts = KubeObject & { readonly spec?: Part; readonly status?: Part };

/** An object of the newer group as one of the older; another object with its owners so. */
export function toOlder<O extends KubeObject>(object: O): O {
  if (object.apiVersion !== apiVersions.newer) return withOwners(object);
  const kind = olderKindName(object.kind ?? "");
  const { olderSpec, olderStatus } = translations[kind] ?? {};
  const { spec, status } = object as WithParts;
  return {
    ...withKeys(withOwners(object)),
    apiVersion: apiVersions.older,
    kind,
    ...(spec === undefined || olderSpec === undefined ? {} : { spec: olderSpec(spec) }),
    ...(status === undefined || olderStatus === undefined ? {} : { status: olderStatus(status) }),
  };
}

/** The way back. */
export function toNewer<O extends KubeObject>(object: O): O {
  if (object.apiVersion !== apiVersions.older) return withOwners(object);
  const kind = object.kind ?? "";
  const { newerSpec } = translations[kind] ?? {};
  const { spec, status } = object as WithParts;
  return {
    ...withKeys(withOwners(object)),
    apiVersion: apiVersions.newer,
    kind: newerKindName(kind),
    ...(spec === undefined || newerSpec === undefined ? {} : { spec: newerSpec(spec) }),
    ...(status === undefined ? {} : { status: toNewerStatus(kind, status) }),
  };
}

/** The status of an object of this kind of the older group. */
export const toNewerStatus = <S extends Part>(kind: string, status: S): S | JsonObject =>
  status === undefined ? status : (translations[kind]?.newerStatus?.(status) ?? status);

function withOwners<O extends KubeObject>(object: O): O {
  const { ownerReferences } = object.metadata;
  if (ownerReferences === undefined) return object;
  return { ...object, metadata: { ...object.metadata, ownerReferences: ownerReferences.map(swapOwner) } };
}

function withKeys<O extends KubeObject>(object: O): O {
  const { labels, annotations } = object.metadata;
  const metadata = {
    ...object.metadata,
    ...(labels === undefined ? {} : { labels: swapKeys(labels) }),
    ...(annotations === undefined ? {} : { annotations: swapKeys(annotations) }),
  };
  return { ...object, metadata };
}
