import type { ServerlessPlan, TrafficShare } from "@trivium/domain";
import { type api, KnativeService } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "./metadata.ts";
import { withoutToken } from "./pod-template.ts";

type Template = NonNullable<KnativeService["spec"]["template"]>;
type RevisionSpec = NonNullable<Template["spec"]>;

export function emitKnativeService(plan: ServerlessPlan): Desired<KnativeService> {
  const { pod, concurrency, timeout, traffic } = plan;
  const spec: RevisionSpec = {
    ...knativePodOf(withoutToken(pod.spec)).spec,
    ...(concurrency === undefined ? {} : { containerConcurrency: concurrency }),
    ...(timeout === undefined ? {} : { timeoutSeconds: timeout, responseStartTimeoutSeconds: timeout }),
  };
  const object: KnativeService = {
    apiVersion: "serving.knative.dev/v1",
    kind: "Service",
    metadata: metadataOf(plan),
    spec: {
      template: { metadata: { labels: { ...pod.labels }, annotations: { ...pod.annotations } }, spec },
      traffic: traffic.map(targetOf),
    },
  };
  return { kind: KnativeService, object };
}

const targetOf = ({ revision, percent, tag }: TrafficShare) => ({
  ...(revision === undefined ? { latestRevision: true } : { latestRevision: false, revisionName: revision }),
  percent,
  ...(tag === undefined ? {} : { tag }),
});

/** What of a pod there is a place for in a revision. */
const podFields: readonly string[] = [
  "affinity",
  "automountServiceAccountToken",
  "dnsConfig",
  "dnsPolicy",
  "enableServiceLinks",
  "hostAliases",
  "hostIPC",
  "hostNetwork",
  "hostPID",
  "imagePullSecrets",
  "initContainers",
  "nodeSelector",
  "priorityClassName",
  "runtimeClassName",
  "schedulerName",
  "securityContext",
  "serviceAccountName",
  "shareProcessNamespace",
  "tolerations",
  "topologySpreadConstraints",
  "volumes",
];
const containerFields: readonly string[] = [
  "args",
  "command",
  "env",
  "envFrom",
  "image",
  "imagePullPolicy",
  "livenessProbe",
  "name",
  "ports",
  "readinessProbe",
  "resources",
  "securityContext",
  "startupProbe",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "volumeMounts",
  "workingDir",
];

/** A pod as a revision can have it, and the names of the fields that it cannot. */
export function knativePodOf({ containers, ...pod }: api.PodSpec): {
  readonly spec: RevisionSpec;
  readonly lost: readonly string[];
} {
  const taken = containers.map((container) => split(container, containerFields));
  const own = split(pod, podFields);
  const lost = [...own.lost, ...taken.flatMap((one) => one.lost.map((field) => `containers.${field}`))];
  const ready = taken.map(({ kept }) => withOnePort(kept as Partial<api.Container>));
  const spec = { ...(own.kept as Omit<RevisionSpec, "containers">), containers: ready };
  return { spec: withoutIdleVolumes(spec), lost: [...new Set(lost)] };
}

function split(of: object, fields: readonly string[]) {
  const entries = Object.entries(of).filter(([, value]) => value !== undefined);
  const kept = Object.fromEntries(entries.filter(([key]) => fields.includes(key)));
  return { kept, lost: entries.map(([key]) => key).filter((key) => !fields.includes(key)) };
}

/** Knative refuses volumes that nobody mounts. */
function withoutIdleVolumes(spec: RevisionSpec): RevisionSpec {
  if (spec.volumes === undefined) return spec;
  const all = [...spec.containers, ...(spec.initContainers ?? [])] as Partial<api.Container>[];
  const mounted = new Set(all.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)));
  return { ...spec, volumes: spec.volumes.filter(({ name }) => mounted.has(name)) };
}

/** A revision is reached at one port, whose name says the protocol. */
function withOnePort(container: Partial<api.Container>): Partial<api.Container> {
  const [first] = container.ports ?? [];
  if (first === undefined) return container;
  const name = first.name === "h2c" ? "h2c" : "http1";
  return { ...container, ports: [{ name, containerPort: first.containerPort }] };
}
