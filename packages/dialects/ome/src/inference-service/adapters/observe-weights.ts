import { findCondition } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, isObject, known } from "@trivium/std";
import { adapterOf } from "../../fine-tuned-weight/discovery/discovered.ts";
import { FineTunedWeight } from "../../kinds/fine-tuned-weight.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { AdapterFound } from "../../model/weights/node-entry.ts";
import type { OmeOptions } from "../../options.ts";
import { type ModelPlace, placeOf } from "../../storage/place.ts";

/** What of tuned weights matters to a service that names them. */
export interface ObservedWeight {
  readonly name: string;
  readonly place: ModelPlace;
  readonly storageUri: string;
  /** What the listing of a service repeats of it; `storageKey` is the name of a Secret. */
  readonly listed?: { readonly schemaPath?: string; readonly storageKey?: string; readonly modelType?: string };
  readonly base: { readonly name: string; readonly namespace?: string | undefined };
  /** How they are laid over the model: `lora`, `tfew` … */
  readonly strategy: string;
  /** Whether they are a whole checkpoint, to be served instead of the model. */
  readonly isMerged: boolean;
  readonly isDisabled: boolean;
  readonly state?: string | undefined;
  /** Why it is in this state, in its own words. */
  readonly why?: string | undefined;
  /** What its author says, or else its files. */
  readonly rank?: number | undefined;
  readonly adapter: AdapterFound;
  /** Who brings the files: the agent of the node, or each pod for itself. */
  readonly bringer: "node" | "pod";
}

export interface NamedWeight {
  readonly name: string;
  readonly weight: Fact<ObservedWeight>;
}

/** On weights or on a service: with `pod`, each pod fetches them before it starts, also where no agent runs. */
export const bringerAnnotation = "ome.io/fine-tuned-weight-download";

/** The weights that a service names, in its order, each once. */
export function observeWeights(
  { metadata, spec }: InferenceService,
  reader: Reader<typeof FineTunedWeight>,
  options: OmeOptions,
): NamedWeight[] {
  const request = metadata.annotations?.[bringerAnnotation];
  return [...new Set(spec.model?.fineTunedWeights ?? [])].map((name) => {
    const found = reader.get(FineTunedWeight, { name });
    return { name, weight: found.is === "known" ? known(observedWeight(found.value, { options, request })) : found };
  });
}

function observedWeight(
  weight: FineTunedWeight,
  { options, request }: { readonly options: OmeOptions; readonly request: string | undefined },
): ObservedWeight {
  const { metadata, spec, status } = weight;
  const { hyperParameters, configuration } = spec;
  const adapter = adapterOf(weight);
  const written = isObject(hyperParameters) ? hyperParameters.strategy : undefined;
  const rank = rankIn(hyperParameters) ?? adapter.rank;
  const strategy = typeof written === "string" && written !== "" ? written : (adapter.kind ?? "lora");
  return {
    name: metadata.name ?? "",
    place: placeOf(weight, options),
    storageUri: spec.storage.storageUri,
    listed: listedOf(weight),
    base: spec.baseModelRef,
    strategy: strategy.toLowerCase(),
    isMerged: isObject(configuration) && configuration.merged_weights === true,
    isDisabled: spec.disabled === true,
    state: status?.state,
    ...whyUnready(status),
    ...(rank === undefined ? {} : { rank }),
    adapter,
    bringer: (request ?? metadata.annotations?.[bringerAnnotation]) === "pod" ? "pod" : "node",
  };
}

function listedOf({ spec }: FineTunedWeight): NonNullable<ObservedWeight["listed"]> {
  const { schemaPath, key } = spec.storage;
  return {
    ...(schemaPath ? { schemaPath } : {}),
    ...(key ? { storageKey: key } : {}),
    ...(spec.modelType ? { modelType: spec.modelType } : {}),
  };
}

/** Its own sentence for not being ready. */
function whyUnready(status: FineTunedWeight["status"]): { readonly why?: string } {
  const ready = findCondition(status?.conditions, "Ready");
  return ready === undefined || ready.status === "True" ? {} : { why: ready.message };
}

/** Under the names that trainers write it down. */
function rankIn(hyperParameters: unknown): number | undefined {
  if (!isObject(hyperParameters)) return undefined;
  const found = ["lora_r", "lora_rank", "rank", "r"].map((key) => hyperParameters[key]);
  return found.find((value): value is number => typeof value === "number" && Number.isInteger(value) && value > 0);
}
