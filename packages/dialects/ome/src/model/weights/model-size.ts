import { weightBytesOf } from "@trivium/engines";
import { findCondition } from "@trivium/kube";
import type { BaseModel } from "../../kinds/base-model.ts";
import { sourceHashOf } from "../../names.ts";
import { weightBytesOf as discoveredBytes } from "../discovery/annotation.ts";
import { weightBytesOnNodes } from "../discovery/fill-model.ts";
import type { ObservedNode } from "../observe.ts";
import { type DeclaredWeights, lowerWeights } from "./declared-weights.ts";

type Nodes = readonly ObservedNode[];

const isInClaim = ({ spec }: BaseModel): boolean => spec.storage.storageUri.startsWith("pvc://");

/** The weights of a model, as far as they are known: by its files, by what its source lists, by what it declares. */
export const sizeModel = (model: BaseModel, nodes: Nodes): DeclaredWeights =>
  lowerWeights(isInClaim(model) ? discoveredBytes(model) : weightBytesOnNodes(ofSource(model, nodes)), model.spec);

export const isSizeKnown = (model: BaseModel, nodes: Nodes): boolean =>
  weightBytesOf(sizeModel(model, nodes).facts) !== undefined;

/** Whether the files are where pods can read them. */
export const isHeld = (model: BaseModel, nodes: Nodes): boolean =>
  isInClaim(model)
    ? model.status?.state === "Ready"
    : ofSource(model, nodes).some(({ entry }) => entry.status === "Ready");

/** Whether everything was inspected that could show the size. */
export const isListed = (model: BaseModel, nodes: Nodes): boolean =>
  isHeld(model, nodes) || ofSource(model, nodes).some(({ entry }) => entry.listed !== undefined);

/** Reports about the source that the spec names now. */
function ofSource(model: BaseModel, nodes: Nodes): Nodes {
  const hash = sourceHashOf(model);
  return nodes.filter(({ node, entry: { source = hash } }) => node.is === "known" && source === hash);
}

/** What was decided for the current spec. */
export function findFit({ metadata, status }: BaseModel) {
  const found = findCondition(status?.conditions, "Fits");
  return found?.observedGeneration === metadata.generation ? found : undefined;
}
