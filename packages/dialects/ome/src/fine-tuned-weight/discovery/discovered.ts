import type { KubeObject } from "@trivium/kube";
import { canonicalJson, isObject, type JsonObject } from "@trivium/std";
import type { FineTunedWeight } from "../../kinds/fine-tuned-weight.ts";
import { discoveredAnnotation, parseBefore } from "../../model/discovery/annotation.ts";
import { isOurs } from "../../model/discovery/discovered.ts";
import { type AdapterFound, parseAdapterFound } from "../../model/weights/node-entry.ts";

/** What was read of the weights, as it was written down. */
export function adapterOf({ metadata }: FineTunedWeight): AdapterFound {
  const { adapter } = parseBefore(metadata.annotations?.[discoveredAnnotation]);
  return isObject(adapter) ? parseAdapterFound(adapter) : {};
}

/** The folder that was chosen and what was read, to be written down on the object. */
export function fillWeight(
  weight: FineTunedWeight,
  { adapter, path }: { readonly adapter?: AdapterFound | undefined; readonly path?: string | undefined },
): KubeObject | undefined {
  const { apiVersion, kind, metadata, spec } = weight;
  const before = parseBefore(metadata.annotations?.[discoveredAnnotation]);
  const read = adapter ?? before.adapter;
  const storage = path !== undefined && isOurs(spec.storage.path, before.path) ? { storage: { path } } : {};
  const known = {
    ...(read === undefined ? {} : { adapter: read }),
    ...("storage" in storage ? { path: storage.storage.path } : {}),
  } as JsonObject;
  if (Object.keys(known).length === 0) return undefined;
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name ?? "", annotations: { [discoveredAnnotation]: canonicalJson(known) } },
    ...("storage" in storage ? { spec: storage } : {}),
  } as KubeObject;
}
