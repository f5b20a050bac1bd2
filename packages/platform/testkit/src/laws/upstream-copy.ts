import { controllerOf, type Kind, type KubeClient, type KubeObject } from "@trivium/kube";
import { isObject, type JsonObject } from "@trivium/std";
import type { Picker } from "./picker.ts";

/** The manager that most operators have: the name of their program. */
export const upstreamManager = { fieldManager: "manager" } as const;

/** An object and the kind it is of. */
export interface KindedObject {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** Everything that some object of ours controls. */
export async function childrenIn(client: KubeClient, kinds: readonly Kind[]): Promise<KindedObject[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await client.list(kind, {}).catch(() => ({ items: [] as KubeObject[] }));
      return items.filter((object) => controllerOf(object) !== undefined).map((object) => ({ kind, object }));
    }),
  );
  return lists.flat();
}

/**
 * A child as another operator would have created it: for the owner of the same name in this cluster, in another way, and with fields that
 * we never set.
 */
export function asUpstream({ kind, object }: KindedObject, owners: ReadonlyMap<string, string>): KubeObject {
  const { name = "", namespace, labels = {}, annotations = {}, ownerReferences = [] } = object.metadata;
  const { status: _, ...content } = object as KubeObject & { status?: unknown };
  const own = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith("trivium.dev/")));
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...labels, "upstream.example/label": "yes" },
    annotations: own,
    ownerReferences: ownerReferences.map((one) => ({ ...one, uid: owners.get(`${one.kind} ${one.name}`) ?? one.uid })),
  };
  const whole = { ...content, metadata } as KubeObject;
  if (kind.kind === "Job") return withoutGenerated(whole);
  return kind.kind === "Deployment" ? withOtherPods(whole) : whole;
}

/** The server gives every Job a selector and labels with its own identity. */
function withoutGenerated(job: KubeObject): KubeObject {
  const { selector: _, ...spec } = (job as unknown as { spec: JsonObject }).spec;
  const template = spec.template as JsonObject & { metadata?: { labels?: JsonObject } };
  const labels = Object.entries(template.metadata?.labels ?? {}).filter(
    ([key]) => !/(controller-uid|job-name)$/.test(key),
  );
  const metadata = { ...template.metadata, labels: Object.fromEntries(labels) };
  return { ...job, spec: { ...spec, template: { ...template, metadata } } } as unknown as KubeObject;
}

/** Another image, a command, and volumes with another source. */
function withOtherPods(deployment: KubeObject): KubeObject {
  const { spec } = deployment as unknown as { spec: JsonObject };
  const template = spec.template as JsonObject;
  const pod = template.spec as JsonObject;
  const containers = (pod.containers as JsonObject[]).map((container) => ({
    ...container,
    image: "upstream.example/server:9",
    command: ["upstream"],
  }));
  const volumes = ((pod.volumes ?? []) as JsonObject[]).map(({ name }) => ({ name, emptyDir: {} }));
  const { metadata = {} } = template as { metadata?: JsonObject };
  const { annotations: _, ...head } = metadata;
  const other = { ...template, metadata: head, spec: { ...pod, containers, volumes } };
  return { ...deployment, spec: { ...spec, template: other } } as unknown as KubeObject;
}

/** The same with choices: of the ways in which another operator may render pods, Services and settings, some. */
export function asRandomUpstream(child: KindedObject, owners: ReadonlyMap<string, string>, pick: Picker): KubeObject {
  const { kind, object } = child;
  if (kind.kind === "Deployment") return asUpstream({ kind, object: withRandomPods(object, pick) }, owners);
  const copy = asUpstream(child, owners);
  if (kind.kind === "ConfigMap" && pick.flip()) return { ...copy, data: { "theirs.json": "{}" } } as KubeObject;
  if (kind.kind !== "Service" || pick.flip()) return copy;
  const { spec } = copy as unknown as { spec: { ports?: JsonObject[] } };
  const ports = (spec.ports ?? []).map((port) => ({ ...port, targetPort: 8080 }));
  const more = pick.flip() ? [{ name: "theirs", port: 9999, protocol: "TCP" }] : [];
  return { ...copy, spec: { ...spec, ports: [...ports, ...more] } } as unknown as KubeObject;
}

function withRandomPods(deployment: KubeObject, pick: Picker): KubeObject {
  const { spec } = deployment as unknown as { spec: JsonObject };
  const template = spec.template as JsonObject;
  const pod = template.spec as JsonObject;
  const added = {
    ...(pick.flip() ? { nodeSelector: { "upstream.example/disk": "fast" } } : {}),
    ...(pick.flip() ? { terminationGracePeriodSeconds: 5 } : {}),
    ...(pick.flip() ? { initContainers: [{ name: "theirs", image: "upstream.example/init:9" }] } : {}),
    ...(pick.flip() ? { priorityClassName: "theirs" } : {}),
  };
  const containers = (pod.containers as JsonObject[]).map((container) => ({
    ...container,
    ...(pick.flip() ? { env: [{ name: "THEIRS", value: "yes" }] } : {}),
    ...(pick.flip() ? { workingDir: "/theirs" } : {}),
  }));
  const strategy = pick.flip() ? { strategy: { type: "Recreate" } } : {};
  const other = { ...template, spec: { ...pod, ...added, containers } };
  return { ...deployment, spec: { ...spec, ...strategy, template: other } } as unknown as KubeObject;
}

/** What counts of a child when two clusters are compared: not what the server or the cluster adds. */
export function comparable({ kind, object }: KindedObject): JsonObject {
  const { name = "", labels = {}, annotations = {} } = object.metadata;
  const kept = Object.entries(annotations).filter(([key]) => key !== "trivium.dev/rendered");
  const { spec = {}, data = {} } = object as { spec?: JsonObject; data?: JsonObject };
  const { clusterIP: _, clusterIPs: __, ...rest } = isObject(spec) ? spec : {};
  return { kind: kind.kind, name, labels, annotations: Object.fromEntries(kept), spec: rest, data } as JsonObject;
}
