import type { Patch } from "@trivium/reconcile";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import { nameOf } from "../model/discovery/fill-model.ts";
import { lowerFiles } from "../model/lower.ts";
import { removals } from "../model/weights/node-reports.ts";
import type { OmeOptions } from "../options.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import { fillWeight } from "./discovery/discovered.ts";
import type { ObservedWeight } from "./observe.ts";

export interface LoweredWeight {
  readonly place: ModelPlace;
  readonly intent: ReturnType<typeof lowerFiles>;
  readonly patches: readonly Patch[];
}

/** Where the files are, what agents are to hold, and what is written back of them. */
export function lowerWeight(weight: FineTunedWeight, observed: ObservedWeight, options: OmeOptions): LoweredWeight {
  const place = placeOf(weight, options);
  const patches = place.is === "node" ? patchesOf(weight, place, { observed, options }) : [];
  return { place, intent: lowerFiles(place, observed), patches };
}

function patchesOf(
  weight: FineTunedWeight,
  { path, uri }: Extract<ModelPlace, { is: "node" }>,
  { observed, options }: { readonly observed: ObservedWeight; readonly options: OmeOptions },
): Patch[] {
  const ready = observed.nodes.find(({ node, entry }) => node.is === "known" && entry.status === "Ready");
  const adapter = ready?.entry.config?.adapter;
  const filled = fillWeight(weight, { adapter, path: uri.scheme === "local" ? undefined : path });
  return [
    ...(filled === undefined ? [] : [{ patch: "fields", kind: nameOf(FineTunedWeight), object: filled } as const]),
    ...removals(observed.nodes, options.namespace),
  ];
}
