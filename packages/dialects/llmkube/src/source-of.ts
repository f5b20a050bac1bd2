import type { KubeObject } from "@trivium/kube";
import type { Model } from "./kinds/model.ts";

/** The source of a Model, with the files that it names. */
export function sourceOf(object: KubeObject): string | undefined {
  if (object.kind !== "Model") return undefined;
  const { source, files } = (object as Model).spec;
  return [source, ...(files ?? [])].join(" ");
}
