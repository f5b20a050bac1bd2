import type { Kind, KubeObject } from "@trivium/kube";
import type { BaseModel } from "../../kinds/base-model.ts";
import type { ModelPlace } from "../../storage/place.ts";
import { isInspected, isSkipped, readConfig } from "../lower.ts";
import type { ObservedModel, ObservedNode } from "../observe.ts";
import type { DiscoveredConfig } from "../weights/node-entry.ts";
import { weightBytesOf } from "./annotation.ts";
import { fillSpec } from "./discovered.ts";

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
  const weightBytes = weightBytesOnNodes(nodes);
  const config = configOnNodes(nodes);
  return fillSpec(model, { config, weightBytes, ...(uri.scheme === "local" ? {} : { path }) });
}

const configOnNodes = (nodes: readonly ObservedNode[]): DiscoveredConfig | undefined =>
  nodes.find(({ node, entry }) => node.is === "known" && entry.status === "Ready" && entry.config !== undefined)?.entry
    .config;

/** What the files report where a node holds them; until then what the source lists. */
export function weightBytesOnNodes(nodes: readonly ObservedNode[]): number | undefined {
  const present = nodes.filter(({ node }) => node.is === "known").map(({ entry }) => entry);
  const read = configOnNodes(nodes)?.weightBytes;
  if (read !== undefined) return read;
  const sizes = present.flatMap(({ listed }) => listed?.weightBytes ?? []);
  return sizes.length === 0 ? undefined : Math.min(...sizes);
}

/** The kind without its schema, so that a decision can be read. */
export const nameOf = ({ group, version, kind, plural, namespaced }: Kind): Kind => ({
  group,
  version,
  kind,
  plural,
  namespaced,
});
