import { type Failure, logOnce } from "@trivium/domain";
import {
  type ClusterMemory,
  type ObservedVolume,
  observeQuotas,
  observeRefusedPods,
  observeVolume,
  summarizeClusterMemory,
  summarizePod,
  volumeReads,
} from "@trivium/engines";
import { type api, ConfigMap, findCondition, Job, type Kind, Node, Pod, ResourceQuota } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { type Fact, getOwn, known } from "@trivium/std";
import { eligibility, eligibleHardware } from "../agent/eligible.ts";
import type { BaseModel } from "../kinds/base-model.ts";
import { modelKeyOf, nodeStatusLabel, storedName } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { placeOf, type Stored } from "../storage/place.ts";
import { answerPlaceOf, readingNameOf } from "./weights/claim-reading.ts";
import { findFit, isHeld, isSizeKnown } from "./weights/model-size.ts";
import { type NodeEntry, parseNodeEntry } from "./weights/node-entry.ts";

export interface ObservedModel {
  /** What nodes say of this model. */
  readonly nodes: readonly ObservedNode[];
  /** How many nodes could hold it; asked as long as none speaks of it. */
  readonly candidates?: Candidates;
  /** What the nodes that could hold it offer to its weights, where one of both is to be compared and the other is known. */
  readonly memory?: ClusterMemory | "unknown";
  /** The claim that holds the files, where one does. */
  readonly claim?: Fact<ObservedVolume>;
  /** What the Job says that looks into the claim. */
  readonly reading?: ClaimReading;
}

export interface Candidates {
  readonly nodes: number;
  readonly eligible: number;
}

export interface ClaimReading {
  readonly job: Fact<{ readonly hasFailed: boolean }>;
  /** What it printed; asked of one that succeeded. */
  readonly answer?: Fact<string>;
  /** The last words of a pod that failed. */
  readonly lastLogLine?: string;
  /** Why it cannot create its pod, where it reports that. */
  readonly refused?: Failure;
  /** What it must state for the quotas of the claim's namespace. */
  readonly resources?: api.ResourceRequirements;
}

export interface ObservedNode {
  readonly name: string;
  /** Of the ConfigMap, so that it is this one that goes when its node is gone. */
  readonly uid: string;
  readonly node: Fact<{ readonly isReady: boolean }>;
  readonly entry: NodeEntry;
}

export const modelReads = [ConfigMap, Node, ...volumeReads, Job, Pod, ResourceQuota] as const satisfies readonly Kind[];

export function observeModel(
  model: BaseModel,
  reader: Reader<(typeof modelReads)[number]>,
  options: OmeOptions,
): ObservedModel {
  const nodes = observeNodes(model, reader, options);
  const place = placeOf(model, options);
  const memory = observeMemory(model, nodes, reader);
  if (place.is !== "claim") return { nodes, ...candidatesFor(model, nodes, reader), ...memory };
  return {
    nodes,
    ...memory,
    claim: observeVolume({ namespace: place.namespace, name: place.claim }, reader),
    reading: observeReading(model, place.namespace, reader),
  };
}

/** What nodes say of a model, or of weights. */
export function observeNodes(
  object: Stored,
  reader: Reader<typeof ConfigMap | typeof Node>,
  options: OmeOptions,
): ObservedNode[] {
  const where = { namespace: options.namespace, labels: { [nodeStatusLabel]: "true" } };
  const entries = reader.listParts(ConfigMap, where, entryOf(modelKeyOf(storedName(object))));
  const nodes = entries.flatMap(({ name, uid, text }): ObservedNode[] => {
    const entry = parseNodeEntry(text);
    return entry === undefined ? [] : [{ name, uid, node: reader.getPart(Node, { name }, readiness), entry }];
  });
  return nodes.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** An agent reports on all models of its node in one ConfigMap: what it reports on others concerns only them. */
const entryOf = (
  key: string,
): Part<ConfigMap, { readonly name: string; readonly uid: string; readonly text: string } | undefined> => ({
  name: `entry ${key}`,
  of: ({ metadata: { name = "", uid = "" }, data }) => {
    const text = getOwn(data, key);
    return text === undefined ? undefined : { name, uid, text };
  },
});

const readiness: Part<Node, { readonly isReady: boolean }> = {
  name: "readiness",
  of: ({ status }) => ({ isReady: findCondition(status?.conditions, "Ready")?.status === "True" }),
};

/** As long as no node that there is speaks of it, the question is how many should. */
export function candidatesFor(
  { spec }: Stored,
  speaking: readonly ObservedNode[],
  reader: Reader<typeof Node>,
): { readonly candidates?: Candidates } {
  if (speaking.some(({ node }) => node.is !== "absent")) return {};
  const nodes = reader.listParts(Node, {}, eligibility(spec.storage));
  return { candidates: { nodes: nodes.length, eligible: nodes.filter((one) => one.isEligible).length } };
}

/** Nodes change often, so they are read only as long as the answer can matter. */
function observeMemory(
  model: BaseModel,
  holders: readonly ObservedNode[],
  reader: Reader<typeof Node>,
): Pick<ObservedModel, "memory"> {
  if (!isSizeKnown(model, holders) || (isHeld(model, holders) && findFit(model) !== undefined)) return {};
  const eligible = reader.listParts(Node, {}, eligibleHardware(model.spec.storage));
  return eligible.length === 0 ? {} : { memory: summarizeClusterMemory(eligible) ?? "unknown" };
}

function observeReading(
  model: BaseModel,
  namespace: string,
  reader: Reader<(typeof modelReads)[number]>,
): ClaimReading {
  const name = readingNameOf(model);
  const job = reader.get(Job, { namespace, name });
  if (job.is !== "known") {
    const resources = observeQuotas(namespace, reader);
    return { job, ...(resources === undefined ? {} : { resources }) };
  }
  const pods = reader.list(Pod, { namespace, labels: { "batch.kubernetes.io/job-name": name } });
  const place = answerPlaceOf(pods);
  const ends = pods.flatMap((pod) => summarizePod(pod, "").containers);
  const words = ends
    .flatMap(({ state }) => (state.is === "ended" && state.exitCode !== 0 ? [state.message] : []))
    .sort();
  const isOver = ["Failed", "Complete"].some(
    (type) => findCondition(job.value.status?.conditions, type)?.status === "True",
  );
  const refused = isOver ? undefined : observeRefusedPods(job.value, pods, reader);
  return {
    job: known({ hasFailed: findCondition(job.value.status?.conditions, "Failed")?.status === "True" }),
    ...(refused === undefined ? {} : { refused }),
    ...(place === undefined ? {} : { answer: reader.ask(logOnce, place) }),
    ...(words[0] === undefined ? {} : { lastLogLine: words[0] }),
  };
}
