import type { DecidedCondition } from "@trivium/kube";
import { type Decision, hasUnresolved, type Note, type Patch } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import { nameOf } from "../model/decide.ts";
import { type FileStatus, type FilesReported, fileStatus, warning } from "../model/status/file-status.ts";
import { claimName, findClaimProblem } from "../model/weights/claim.ts";
import { decideDeletion } from "../model/weights/deletion.ts";
import { gatherNodes, nodeNotes, removals } from "../model/weights/nodes-say.ts";
import type { OmeOptions } from "../options.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import { fillWeight } from "./discovery/discovered.ts";
import type { ObservedWeight } from "./observe.ts";

interface Context {
  readonly options: OmeOptions;
  readonly observed: ObservedWeight;
  readonly now: Instant;
}

/** Weights are held as models are; besides, it is said whether the model is there that they belong to. */
export function decideWeight(weight: FineTunedWeight, { options, observed, now }: Context): Decision<FileStatus> {
  if (hasUnresolved(observed)) return { do: "hold", status: weight.status ?? {} };
  const { nodes } = observed;
  if (weight.metadata.deletionTimestamp !== undefined) return decideDeletion(weight, nodes, now);
  const place = placeOf(weight, options);
  const reported = sayOf(weight, place, observed);
  const patches = patchesOf(weight, place, { observed, options });
  return {
    do: "converge",
    children: [],
    ...(patches.length === 0 ? {} : { patches }),
    status: fileStatus(weight, reported, [baseCondition(weight, observed)]),
    notes: place.is === "node" ? nodeNotes(nodes, reported) : otherNotes(reported),
  };
}

function sayOf(weight: FineTunedWeight, place: ModelPlace, observed: ObservedWeight): FilesReported {
  if (place.is === "faulty") return { state: "Failed", reason: "InvalidStorage", message: `${place.why}; correct it` };
  if (place.is === "node") return gatherNodes(weight, observed);
  const { claim } = observed;
  const problem = findClaimProblem(place, claim ?? { is: "absent" });
  if (problem !== undefined) return { state: "Failed", ...problem };
  const name = claimName(place);
  return claim?.is === "known" && claim.value.phase === "Bound"
    ? { state: "Ready", reason: "ModelReady", message: `Available on ${name}` }
    : { state: "In_Transit", reason: "ClaimNotBound", message: `${name} is not bound yet` };
}

function patchesOf(
  weight: FineTunedWeight,
  place: ModelPlace,
  { observed, options }: Pick<Context, "observed" | "options">,
): Patch[] {
  if (place.is !== "node") return [];
  const ready = observed.nodes.find(({ node, entry }) => node.is === "known" && entry.status === "Ready");
  const path = place.uri.scheme === "local" ? undefined : place.path;
  const filled = fillWeight(weight, { adapter: ready?.entry.config?.adapter, path });
  return [
    ...(filled === undefined ? [] : [{ patch: "fields", kind: nameOf(FineTunedWeight), object: filled } as const]),
    ...removals(observed.nodes, options.namespace),
  ];
}

function otherNotes({ state, reason, message }: FilesReported): Note[] {
  if (state === "Failed") return [warning(reason, message)];
  return state === "Ready" ? [{ type: "Normal", reason, message }] : [];
}

function baseCondition({ spec }: FineTunedWeight, { base }: ObservedWeight): DecidedCondition {
  const { name, namespace } = spec.baseModelRef;
  const model = namespace ? `BaseModel ${namespace}/${name}` : `ClusterBaseModel ${name}`;
  if (base.is === "known")
    return { type: "BaseModelFound", status: "True", reason: "BaseModelFound", message: `${model} exists` };
  const message = `${model} not found; create it, or change spec.baseModelRef`;
  return { type: "BaseModelFound", status: "False", reason: "BaseModelNotFound", message };
}
