import type { ApiResponse } from "@trivium/kube";
import { formatTime, type JsonObject } from "@trivium/std";
import type { Call } from "../call.ts";
import { notFound } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import { respond } from "../respond.ts";
import type { Stored } from "../store/store.ts";
import { selectionOf } from "../view/selection.ts";
import type { Usage, UsagePort, UsageReport } from "./usage-port.ts";

const group = "metrics.k8s.io";
const version = "v1beta1";

export const isMetrics = (resource: Resource): boolean => resource.group === group && resource.origin === "built-in";

/** What a metrics server adds to a cluster: the rows by which discovery and the router know of it. */
export function metricsResources(): Resource[] {
  return [row("nodes", "NodeMetrics", false), row("pods", "PodMetrics", true)];
}

/** `get` and `list`, measured when they are called and never stored. */
export async function readMetrics(call: Call, usage: UsagePort): Promise<ApiResponse> {
  const { resource, name, namespace, query } = call;
  const report = await usage();
  const items = resource.plural === "pods" ? podItems(call, report) : nodeItems(call, report);
  const apiVersion = `${group}/${version}`;
  if (name !== "") {
    const found = items.find(({ stored }) => stored.key.name === name && stored.key.namespace === namespace);
    if (found === undefined) throw notFound(resource, name);
    return respond(call, 200, JSON.stringify({ kind: resource.kind, apiVersion, ...found.content }));
  }
  const { matches } = selectionOf(resource, namespace, query);
  const listed = items.filter(({ stored }) => matches(stored)).map(({ content }) => content);
  return respond(call, 200, JSON.stringify({ kind: resource.listKind, apiVersion, metadata: {}, items: listed }));
}

interface Item {
  /** The pod or node itself: its labels are those of its metrics. */
  readonly stored: Stored;
  readonly content: JsonObject;
}

function podItems({ backend, namespace }: Call, { containers }: UsageReport): Item[] {
  const byPod = Map.groupBy(containers, (one) => `${one.namespace}/${one.pod}`);
  const within = namespace === "" ? undefined : { namespace };
  return [...backend.storage.store.list("pods", within)].flatMap((stored) => {
    const [first, ...others] = byPod.get(`${stored.key.namespace}/${stored.key.name}`) ?? [];
    if (first === undefined) return [];
    const content = {
      ...headOf(stored, first),
      containers: [first, ...others].map((one) => ({ name: one.container, usage: amountsOf(one) })),
    };
    return [{ stored, content }];
  });
}

function nodeItems({ backend }: Call, { nodes }: UsageReport): Item[] {
  return [...backend.storage.store.list("nodes")].flatMap((stored) => {
    const found = nodes.find(({ node }) => node === stored.key.name);
    return found === undefined ? [] : [{ stored, content: { ...headOf(stored, found), usage: amountsOf(found) } }];
  });
}

function headOf({ key, labels }: Stored, { at, window }: Usage): JsonObject {
  const metadata = {
    name: key.name,
    ...(key.namespace === "" ? {} : { namespace: key.namespace }),
    creationTimestamp: formatTime(at),
    ...(labels === undefined ? {} : { labels: { ...labels } }),
  };
  return { metadata, timestamp: formatTime(at), window: `${Math.max(1, Math.round(window / 1_000))}s` };
}

const amountsOf = ({ milliProcessors, memoryBytes }: Usage): JsonObject => ({
  cpu: `${Math.round(milliProcessors * 1_000_000)}n`,
  memory: `${Math.ceil(memoryBytes / 1_024)}Ki`,
});

function row(plural: string, kind: string, namespaced: boolean): Resource {
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    // As a metrics server has it: kubectl then derives a name from the kind, and `kubectl get podmetrics` works.
    singular: "",
    shortNames: [],
    categories: [],
    namespaced,
    verbs: ["get", "list"],
    origin: "built-in",
    storageVersion: version,
    schema: { type: "object" },
    subresources: { status: false, others: [] },
    columns: [],
    cells: () => [],
    strategy: { prune: () => [], applyDefaults: () => undefined, validate: () => [], hasGeneration: false },
    selectableFields: [],
  };
}
