import { ConfigMap, Job, type Kind } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { BaseModel, ClusterBaseModel } from "../kinds/base-model.ts";
import type { OmeOptions } from "../options.ts";
import { decideModel } from "./decide.ts";
import { modelReads, type ObservedModel, observeModel } from "./observe.ts";
import { raiseRefusedModel } from "./status/refused.ts";

type ModelReconciler = Reconciler<BaseModel, ObservedModel, (typeof modelReads)[number]>;

/** A model has no children: agents on nodes hold its files. What they say is gathered, and fills what the spec leaves out. */
function modelReconciler(name: string, kind: Kind<BaseModel>, options: OmeOptions): ModelReconciler {
  return {
    name,
    formerNames: [`ome.${kind.kind.toLowerCase()}`],
    kind,
    reads: modelReads,
    writes: [kind, ConfigMap, Job],
    finalizer: `${kind.plural}.ome.io/finalizer`,
    observe: (model, reader) => observeModel(model, reader, options),
    decide: (model, observed, now) => decideModel(model, { kind, options, observed, now }),
    refused: raiseRefusedModel,
  };
}

export const baseModelReconciler = (options: OmeOptions): ModelReconciler =>
  modelReconciler("ome.base-model", BaseModel, options);
export const clusterModelReconciler = (options: OmeOptions): ModelReconciler =>
  modelReconciler("ome.cluster-base-model", ClusterBaseModel, options);
