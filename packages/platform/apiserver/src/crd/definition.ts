import type { api } from "@trivium/kube";
import { deepEqual } from "@trivium/std";

/** A stored CustomResourceDefinition and the parts of it that have names here. */
export type Definition = api.CustomResourceDefinition;
export type DefinitionVersion = api.CustomResourceDefinition["spec"]["versions"][number];
export type DefinitionNames = api.CustomResourceDefinition["spec"]["names"];

export const definitionsStore = "customresourcedefinitions.apiextensions.k8s.io";

export const storageVersionOf = (crd: Definition): string =>
  (crd.spec.versions ?? []).find((version) => version.storage)?.name ?? "";

/** Whether every version says the same of this part; a real server then names it as if it stood beside the versions. */
export function isSharedByAll(crd: Definition, part: keyof DefinitionVersion): boolean {
  const [first, ...others] = crd.spec.versions ?? [];
  return others.every((version) => deepEqual(version[part], first?.[part]));
}
