import { prepare } from "@trivium/engines";
import { ConfigMap, type Kind } from "@trivium/kube";
import { type Decision, hasUnresolved, type Reconciler } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import { raiseFiles } from "../model/raise.ts";
import type { FileStatus } from "../model/status/file-status.ts";
import { decideDeletion } from "../model/weights/deletion.ts";
import type { OmeOptions } from "../options.ts";
import { eventsOf } from "./events.ts";
import { lowerWeight } from "./lower.ts";
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
    writes: [],
    patches: [
      { kind: FineTunedWeight as Kind, verbs: ["patch"] },
      { kind: ConfigMap, verbs: ["delete"] },
    ],
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
  const { place, intent, patches } = lowerWeight(weight, observed, options);
  const prepared = prepare(intent);
  if (prepared.is === "unresolved") return hold;
  const reported = raiseFiles(weight, { prepared, place, observed });
  return {
    do: "converge",
    children: [],
    ...(patches.length === 0 ? {} : { patches }),
    status: raiseWeight(weight, reported, observed),
    notes: eventsOf(place, nodes, reported),
  };
}
