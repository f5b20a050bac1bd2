import type { Part, Reader } from "@trivium/reconcile";
import { LoRAAdapter } from "../kinds/lora-adapter.ts";

/** What a LoRAAdapter requests of its service. */
export interface RequestedObject {
  /** Name of the object. */
  readonly object: string;
  readonly name: string;
  readonly path: string;
}

/** A service is not changed by an object of another namespace: a user with rights there may have none here. */
const requested: Part<LoRAAdapter, RequestedObject | undefined> = {
  name: "requested adapter",
  of: ({ metadata, spec }) => {
    const { namespace = metadata.namespace } = spec.inferenceServiceRef;
    if (namespace !== metadata.namespace || metadata.deletionTimestamp !== undefined) return undefined;
    return { object: metadata.name ?? "", name: spec.name, path: spec.path };
  },
};

/** Every LoRAAdapter of a service. */
export function listObjects(
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  reader: Pick<Reader<typeof LoRAAdapter>, "listParts">,
): readonly RequestedObject[] {
  return reader.listParts(LoRAAdapter, { namespace, fields: { "spec.inferenceServiceRef.name": name } }, requested);
}
