import type { Part, Reader } from "@trivium/reconcile";
import { type ObservedClass, usesClasses } from "../../accelerators/index.ts";
import { AcceleratorClass } from "../../kinds/accelerator-class.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";

/** That other nodes get the accelerator matters only to a class that has none. */
const classPart: Part<AcceleratorClass, ObservedClass> = {
  name: "accelerator class",
  of: ({ metadata, spec, status }) => ({
    name: metadata.name ?? "",
    spec,
    hasNodes: (status?.availableNodes ?? 0) > 0,
  }),
};

/** Nothing for a service that neither names nor selects a class, so that classes do not trigger it. */
export function observeClasses(
  service: InferenceService,
  reader: Pick<Reader<typeof AcceleratorClass>, "listParts">,
): { readonly classes?: readonly ObservedClass[] } {
  if (!usesClasses(service)) return {};
  const classes = reader.listParts(AcceleratorClass, {}, classPart);
  return { classes: [...classes].sort((a, b) => (a.name < b.name ? -1 : 1)) };
}
