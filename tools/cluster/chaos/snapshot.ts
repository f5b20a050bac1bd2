import { groupResourceOf, type KubeClient, type KubeObject, type ServedResource } from "@trivium/kube";
import type { Json } from "@trivium/std";

/** Reports and locks, which no two runs have alike. */
const left = new Set(["events", "events.events.k8s.io", "endpoints", "leases.coordination.k8s.io"]);
/** Their names are random, so only their number for each owner counts. */
const counted = new Set(["pods", "replicasets.apps", "endpointslices.discovery.k8s.io", "controllerrevisions.apps"]);
const dropped = new Set([
  ...["uid", "resourceVersion", "creationTimestamp", "generation", "observedGeneration", "managedFields"],
  ...["clusterIP", "clusterIPs", "collisionCount", "volumeName"],
  // Written by the controller of volumes if it sees a claim before it is bound.
  ...["volume.beta.kubernetes.io/storage-provisioner", "volume.kubernetes.io/storage-provisioner"],
  // Version 1 of autoscalers has part of their status here.
  ...["autoscaling.alpha.kubernetes.io/conditions", "autoscaling.alpha.kubernetes.io/current-metrics"],
]);

/** Objects by resource and name. */
export type Snapshot = Readonly<Record<string, Json>>;

/** Every object of a namespace by kind and name, without what differs between two runs that end alike. */
export async function takeSnapshot(client: KubeClient, namespace: string): Promise<Snapshot> {
  const snapshot: Record<string, Json> = {};
  for (const kind of (await client.discover()).filter(isListed)) {
    const resource = groupResourceOf(kind);
    for (const object of (await client.list(kind, { namespace })).items) {
      if (object.metadata.deletionTimestamp !== undefined)
        snapshot[`${resource}/${object.metadata.name} is being deleted`] = true;
      else if (counted.has(resource)) count(snapshot, `${resource} of ${ownerOf(object)}`);
      else snapshot[`${resource}/${object.metadata.name}`] = normalize(decided(resource, object));
    }
  }
  return snapshot;
}

/** The status of an autoscaler says when its controller came by last. */
function decided(resource: string, { metadata: { annotations = {}, ...metadata }, ...object }: KubeObject): Json {
  const { status: _, ...rest } = object as { status?: unknown };
  const whole = { ...(resource === "horizontalpodautoscalers.autoscaling" ? rest : object), metadata, annotations };
  return whole as unknown as Json;
}

const isListed = (kind: ServedResource): boolean =>
  kind.namespaced && kind.verbs.includes("list") && !left.has(groupResourceOf(kind));

function count(snapshot: Record<string, Json>, key: string): void {
  snapshot[key] = Number(snapshot[key] ?? 0) + 1;
}

const ownerOf = ({ metadata }: KubeObject): string =>
  (metadata.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${withoutRandom(name)}`).join() || "none";

/** A value without times, uids and random names; conditions in the order of their types, since theirs is that of events. */
export function normalize(value: Json): Json {
  if (typeof value === "string") return withoutRandom(value);
  if (Array.isArray(value)) return inOrder(value.map(normalize));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !dropped.has(key))
      .map(([key, part]) => [key, normalize(part as Json)]),
  );
}

const isCondition = (value: Json): value is { type: string; status: string } =>
  value !== null && typeof value === "object" && "type" in value && "status" in value;

const inOrder = (values: Json[]): Json[] =>
  values.every(isCondition) ? values.sort((a, b) => (a.type < b.type ? -1 : 1)) : values;

/** Times, uids and the random ends of names. */
const withoutRandom = (text: string): string =>
  text
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "<time>")
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replace(/-[0-9a-f]{8,10}(-[a-z0-9]{5})?\b/g, "-<hash>");

/** What differs, one line for each object. */
export function compareSnapshots(expected: Snapshot, actual: Snapshot): string[] {
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])].sort();
  return keys.flatMap((key) => {
    if (!(key in actual)) return [`${key} is missing`];
    if (!(key in expected)) return [`${key} should not exist`];
    return differences(expected[key] as Json, actual[key] as Json, key);
  });
}

function differences(expected: Json, actual: Json, path: string): string[] {
  if (JSON.stringify(expected) === JSON.stringify(actual)) return [];
  const isTree = (value: Json): value is { [key: string]: Json } => value !== null && typeof value === "object";
  if (!isTree(expected) || !isTree(actual))
    return [`${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  return keys.flatMap((key) => differences(expected[key] ?? null, actual[key] ?? null, `${path} ${key}`));
}
