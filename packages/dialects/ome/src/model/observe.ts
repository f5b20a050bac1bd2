import { logOnce } from "@trivium/domain";
import { summarizePod } from "@trivium/engines";
import { ConfigMap, findCondition, Job, type Kind, Node, PersistentVolumeClaim, Pod } from "@trivium/kube";
import type { Look } from "@trivium/reconcile";
import { type Fact, getOwn, known } from "@trivium/std";
import type { BaseModel } from "../kinds/base-model.ts";
import { modelKeyOf, nodeStatusLabel } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { placeOf } from "../storage/place.ts";
import { answerPlaceOf, readingNameOf } from "./claim-reading.ts";
import { type NodeEntry, parseNodeEntry } from "./node-entry.ts";

export interface ModelSeen {
  /** What nodes say of this model. */
  readonly nodes: readonly NodeSeen[];
  /** The claim that holds the files, where one does. */
  readonly claim?: Fact<{ readonly phase: string }>;
  /** What the Job says that looks into the claim. */
  readonly reading?: ClaimReading;
}

export interface ClaimReading {
  readonly job: Fact<{ readonly hasFailed: boolean }>;
  /** What it printed; asked of one that succeeded. */
  readonly answer?: Fact<string>;
  /** The last words of a pod that failed. */
  readonly lastWords?: string;
}

export interface NodeSeen {
  readonly name: string;
  /** Of the ConfigMap, so that it is this one that goes when its node is gone. */
  readonly uid: string;
  readonly node: Fact<{ readonly isReady: boolean }>;
  readonly entry: NodeEntry;
}

export const modelReads = [ConfigMap, Node, PersistentVolumeClaim, Job, Pod] as const satisfies readonly Kind[];

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
    reading: observeReading(model, place.namespace, look),
  };
}

function observeReading(model: BaseModel, namespace: string, look: Look<(typeof modelReads)[number]>): ClaimReading {
  const name = readingNameOf(model);
  const job = look.get(Job, { namespace, name });
  if (job.is !== "known") return { job };
  const pods = look.list(Pod, { namespace, labels: { "batch.kubernetes.io/job-name": name } });
  const place = answerPlaceOf(pods);
  const ends = pods.flatMap((pod) => summarizePod(pod, "").containers);
  const words = ends
    .flatMap(({ state }) => (state.is === "ended" && state.exitCode !== 0 ? [state.message] : []))
    .sort();
  return {
    job: known({ hasFailed: findCondition(job.value.status?.conditions, "Failed")?.status === "True" }),
    ...(place === undefined ? {} : { answer: look.ask(logOnce, place) }),
    ...(words[0] === undefined ? {} : { lastWords: words[0] }),
  };
}

function observeNode(name: string, look: Look<typeof Node>): Fact<{ readonly isReady: boolean }> {
  const node = look.get(Node, { name });
  if (node.is !== "known") return node;
  return known({ isReady: findCondition(node.value.status?.conditions, "Ready")?.status === "True" });
}
