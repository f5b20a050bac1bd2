import type { Kind, KubeObject } from "@trivium/kube";
import type { BaseModel } from "../../kinds/base-model.ts";
import type { ModelPlace } from "../../storage/place.ts";
import { isInspected, isSkipped, readConfig } from "../lower.ts";
import type { ObservedModel, ObservedNode } from "../observe.ts";
import type { DiscoveredConfig } from "../weights/node-entry.ts";
import { fillSpec, weightBytesOf } from "./discovered.ts";

/** What is known of the files, for the fields that the user left out. */
export function fillModel(model: BaseModel, place: ModelPlace, observed: ObservedModel): KubeObject | undefined {
  switch (place.is) {
    case "faulty":
      return undefined;
    case "claim":
      return fillFromClaim(model, observed);
    case "node":
      return fillFromNodes(model, place, observed);
  }
}

function fillFromClaim(model: BaseModel, observed: ObservedModel): KubeObject | undefined {
  const config = readConfig(observed);
  const isRead = isInspected(model);
  if (config === undefined && !isRead) return undefined;
  return fillSpec(model, {
    config,
    weightBytes: config?.weightBytes ?? (isRead ? weightBytesOf(model) : undefined),
    ...(isSkipped(model) ? {} : { claim: model.spec.storage.storageUri }),
  });
}

function fillFromNodes(
  model: BaseModel,
  { path, uri }: Extract<ModelPlace, { is: "node" }>,
  { nodes }: ObservedModel,
): KubeObject | undefined {
  const config = nodes.find(
    ({ node, entry }) => node.is === "known" && entry.status === "Ready" && entry.config !== undefined,
  )?.entry.config;
  const weightBytes = weightBytesOnNodes(nodes, config);
  return fillSpec(model, { config, weightBytes, ...(uri.scheme === "local" ? {} : { path }) });
}

/** What the files say where a node holds them; until then how much the node that downloads least has to download. */
function weightBytesOnNodes(nodes: readonly ObservedNode[], config: DiscoveredConfig | undefined): number | undefined {
  const present = nodes.filter(({ node }) => node.is === "known").map(({ entry }) => entry);
  if (present.some(({ status }) => status === "Ready")) return config?.weightBytes;
  const totals = present.flatMap(({ status, progress }) =>
    status === "Updating" && progress !== undefined && progress.totalBytes > 0 ? [progress.totalBytes] : [],
  );
  return totals.length === 0 ? undefined : Math.min(...totals);
}

/** The kind without its schema, so that a decision can be read. */
export const nameOf = ({ group, version, kind, plural, namespaced }: Kind): Kind => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});
