import { emitJob } from "@trivium/emitters";
import { prepare } from "@trivium/engines";
import { ConfigMap, Job, type Kind } from "@trivium/kube";
import { type Decision, type Desired, hasUnresolved, type Patch, type Reconciler } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import type { OmeOptions } from "../options.ts";
import { type ModelPlace, placeOf } from "../storage/place.ts";
import { fillModel, nameOf } from "./discovery/fill-model.ts";
import { eventsOf, fitEvents } from "./events.ts";
import { isInspected, lowerModel } from "./lower.ts";
import { modelReads, type ObservedModel, observeModel } from "./observe.ts";
import { type Decided, raiseFiles } from "./raise.ts";
import { type FileStatus, fileStatus } from "./status/file-status.ts";
import { fitConditions, withMisfit } from "./status/fit.ts";
import { raiseRefusedModel } from "./status/refused.ts";
import { planReading } from "./weights/claim-reading.ts";
import { decideDeletion } from "./weights/deletion.ts";
import { removals } from "./weights/node-reports.ts";

type ModelReconciler = Reconciler<BaseModel, ObservedModel, (typeof modelReads)[number]>;

/** A model has no children but the Job that inspects a claim: agents on nodes hold its files. */
function modelReconciler(name: string, kind: Kind<BaseModel>, options: OmeOptions): ModelReconciler {
  return {
    name,
    formerNames: [`ome.${kind.kind.toLowerCase()}`],
    kind,
    reads: modelReads,
    writes: [Job],
    patches: [
      { kind: kind as Kind, verbs: ["patch"] },
      { kind: ConfigMap, verbs: ["delete"] },
    ],
    finalizer: `${kind.plural}.ome.io/finalizer`,
    observe: (model, reader) => observeModel(model, reader, options),
    decide: (model, observed, now) => decideModel(model, { kind, options, observed, now }),
    refused: raiseRefusedModel,
  };
}

interface Context {
  readonly kind: Kind<BaseModel>;
  readonly options: OmeOptions;
  readonly observed: ObservedModel;
  readonly now: Instant;
}

function decideModel(model: BaseModel, context: Context): Decision<FileStatus> {
  const { observed, options, now } = context;
  const hold = { do: "hold", status: model.status ?? {} } as const;
  if (hasUnresolved(observed)) return hold;
  if (model.metadata.deletionTimestamp !== undefined) return decideDeletion(model, observed.nodes, now);
  const place = placeOf(model, options);
  const prepared = prepare(lowerModel(model, place, observed));
  if (prepared.is === "unresolved") return hold;
  const fits = fitConditions(model, observed);
  const reported = withMisfit(raiseFiles(model, { prepared, place, observed }), { prepared, place, fits });
  const notes = [...eventsOf(place, observed.nodes, reported), ...fitEvents(fits)];
  const raised = { status: fileStatus(model, reported, fits), notes };
  // Files that cannot be there are not inspected either.
  if (isWithoutFiles(prepared)) return { do: "hold", ...raised };
  const patches = patchesOf(model, place, context);
  return {
    do: "converge",
    children: childrenOf(model, place, context),
    ...(patches.length === 0 ? {} : { patches }),
    ...raised,
  };
}

const isWithoutFiles = (prepared: Decided): boolean =>
  prepared.is === "blocked" && (prepared.step === "request" || prepared.step === "volume");

function childrenOf(model: BaseModel, place: ModelPlace, { observed, options }: Context): Desired[] {
  if (place.is !== "claim" || isInspected(model)) return [];
  const resources = observed.reading?.resources;
  return [emitJob(planReading(model, place, { image: options.images.weights, resources }))];
}

function patchesOf(model: BaseModel, place: ModelPlace, { kind, observed, options }: Context): Patch[] {
  const filled = fillModel(model, place, observed);
  return [
    ...(filled === undefined ? [] : [{ patch: "fields", kind: nameOf(kind), object: filled } as const]),
    ...(place.is === "node" ? removals(observed.nodes, options.namespace) : []),
  ];
}

export const baseModelReconciler = (options: OmeOptions): ModelReconciler =>
  modelReconciler("ome.base-model", BaseModel, options);
export const clusterModelReconciler = (options: OmeOptions): ModelReconciler =>
  modelReconciler("ome.cluster-base-model", ClusterBaseModel, options);
