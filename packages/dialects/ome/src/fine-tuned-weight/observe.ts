import { type ObservedVolume, observeVolume, volumeReads } from "@trivium/engines";
import { ConfigMap, type Kind, Node } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import type { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import { type Candidates, candidatesFor, type ObservedNode, observeNodes } from "../model/observe.ts";
import type { OmeOptions } from "../options.ts";
import { placeOf } from "../storage/place.ts";

export interface ObservedWeight {
  readonly nodes: readonly ObservedNode[];
  readonly candidates?: Candidates;
  readonly claim?: Fact<ObservedVolume>;
  /** Whether the model is there that they were tuned from. */
  readonly base: Fact<true>;
}

export const weightReads = [
  ConfigMap,
  Node,
  ...volumeReads,
  BaseModel,
  ClusterBaseModel,
] as const satisfies readonly Kind[];
type WeightReader = Reader<(typeof weightReads)[number]>;

export function observeWeight(weight: FineTunedWeight, reader: WeightReader, options: OmeOptions): ObservedWeight {
  const nodes = observeNodes(weight, reader, options);
  const base = observeBase(weight, reader);
  const place = placeOf(weight, options);
  if (place.is !== "claim") return { nodes, ...candidatesFor(weight, nodes, reader), base };
  return { nodes, claim: observeVolume({ namespace: place.namespace, name: place.claim }, reader), base };
}

/** With a namespace a BaseModel there is meant. */
function observeBase({ spec }: FineTunedWeight, reader: WeightReader): Fact<true> {
  const { name, namespace } = spec.baseModelRef;
  const found = namespace ? reader.get(BaseModel, { namespace, name }) : reader.get(ClusterBaseModel, { name });
  return found.is === "known" ? known(true) : found;
}
