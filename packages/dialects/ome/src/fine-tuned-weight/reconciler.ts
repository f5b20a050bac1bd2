import { prepare } from "@trivium/engines";
import { ConfigMap } from "@trivium/kube";
import { type Decision, hasUnresolved, type Patch, type Reconciler } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import { nameOf } from "../model/discovery/fill-model.ts";
import { eventsOf } from "../model/events.ts";
import { lowerFiles } from "../model/lower.ts";
import { raiseFiles } from "../model/raise.ts";
import type { FileStatus } from "../model/status/file-status.ts";
import { decideDeletion } from "../model/weights/deletion.ts";
import { removals } from "../model/weights/node-reports.ts";
import type { OmeOptions } from "../options.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import { fillWeight } from "./discovery/discovered.ts";
import { type ObservedWeight, observeWeight, weightReads } from "./observe.ts";
import { raiseWeight } from "./raise.ts";

export function weightReconciler(
  options: OmeOptions,
): Reconciler<FineTunedWeight, ObservedWeight, (typeof weightReads)[number]> {
  return {
    name: "ome.fine-tuned-weight",
    formerNames: ["ome.finetunedweight"],
    kind: FineTunedWeight,
    reads: weightReads,
    writes: [FineTunedWeight, ConfigMap],
    finalizer: "finetunedweights.ome.io/finalizer",
    observe: (weight, reader) => observeWeight(weight, reader, options),
    decide: (weight, observed, now) => decideWeight(weight, { options, observed, now }),
  };
}

interface Context {
  readonly options: OmeOptions;
  readonly observed: ObservedWeight;
  readonly now: Instant;
}

function decideWeight(weight: FineTunedWeight, { options, observed, now }: Context): Decision<FileStatus> {
  const hold = { do: "hold", status: weight.status ?? {} } as const;
  if (hasUnresolved(observed)) return hold;
  const { nodes } = observed;
  if (weight.metadata.deletionTimestamp !== undefined) return decideDeletion(weight, nodes, now);
  const place = placeOf(weight, options);
  const prepared = prepare(lowerFiles(place, observed));
  if (prepared.is === "unresolved") return hold;
  const reported = raiseFiles(weight, { prepared, place, observed });
  const patches = place.is === "node" ? patchesOf(weight, place, { observed, options }) : [];
  return {
    do: "converge",
    children: [],
    ...(patches.length === 0 ? {} : { patches }),
    status: raiseWeight(weight, reported, observed),
    notes: eventsOf(place, nodes, reported),
  };
}

function patchesOf(
  weight: FineTunedWeight,
  { path, uri }: Extract<ModelPlace, { is: "node" }>,
  { observed, options }: Pick<Context, "observed" | "options">,
): Patch[] {
  const ready = observed.nodes.find(({ node, entry }) => node.is === "known" && entry.status === "Ready");
  const adapter = ready?.entry.config?.adapter;
  const filled = fillWeight(weight, { adapter, path: uri.scheme === "local" ? undefined : path });
  return [
    ...(filled === undefined ? [] : [{ patch: "fields", kind: nameOf(FineTunedWeight), object: filled } as const]),
    ...removals(observed.nodes, options.namespace),
  ];
}
