import type { KubeObject } from "@trivium/kube";
import { AIMService } from "./kinds/service.ts";
import type { Service } from "./service/names/names.ts";

/** The source of the custom model that a service has in its spec. */
export function sourceOf(object: KubeObject): string | undefined {
  if (object.kind !== AIMService.kind) return undefined;
  return (object as Service).spec.model?.custom?.modelSources?.[0]?.sourceUri ?? undefined;
}
