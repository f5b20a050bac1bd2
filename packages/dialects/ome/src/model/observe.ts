import { ConfigMap, findCondition, type Kind, Node, PersistentVolumeClaim } from "@trivium/kube";
import type { Look } from "@trivium/reconcile";
import { type Fact, getOwn, known } from "@trivium/std";
import type { BaseModel } from "../kinds/base-model.ts";
import { modelKeyOf, nodeStatusLabel } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { placeOf } from "../storage/place.ts";
import { type NodeEntry, parseNodeEntry } from "./node-entry.ts";

export interface ModelSeen {
  /** What nodes say of this model. */
  readonly nodes: readonly NodeSeen[];
  /** The claim that holds the files, where one does. */
  readonly claim?: Fact<{ readonly phase: string }>;
}

export interface NodeSeen {
  readonly name: string;
  /** Of the ConfigMap, so that it is this one that goes when its node is gone. */
  readonly uid: string;
  readonly node: Fact<{ readonly isReady: boolean }>;
  readonly entry: NodeEntry;
}

export const modelReads = [ConfigMap, Node, PersistentVolumeClaim] as const satisfies readonly Kind[];

export function observeModel(
  model: BaseModel,
  look: Look<(typeof modelReads)[number]>,
  options: OmeOptions,
): ModelSeen {
  const { namespace, name = "" } = model.metadata;
  const key = modelKeyOf({ namespace, name });
  const reports = look.list(ConfigMap, { namespace: options.namespace, labels: { [nodeStatusLabel]: "true" } });
  const nodes = reports.flatMap(({ metadata, data }): NodeSeen[] => {
    const text = getOwn(data, key);
    const entry = text === undefined ? undefined : parseNodeEntry(text);
    const node = metadata.name ?? "";
    return entry === undefined ? [] : [{ name: node, uid: metadata.uid ?? "", node: observeNode(node, look), entry }];
  });
  nodes.sort((a, b) => (a.name < b.name ? -1 : 1));
  const place = placeOf(model, options);
  if (place.is !== "claim") return { nodes };
  const claim = look.get(PersistentVolumeClaim, { namespace: place.namespace, name: place.claim });
  return {
    nodes,
    claim: claim.is === "known" ? known({ phase: claim.value.status?.phase ?? "Pending" }) : claim,
  };
}

function observeNode(name: string, look: Look<typeof Node>): Fact<{ readonly isReady: boolean }> {
  const node = look.get(Node, { name });
  if (node.is !== "known") return node;
  return known({ isReady: findCondition(node.value.status?.conditions, "Ready")?.status === "True" });
}
