import type { api } from "@trivium/kube";

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

/** A pod as a revision of Knative can have it, and the names of the fields that it cannot. */
export function fitRevision({ containers, ...pod }: api.PodSpec): {
  readonly spec: api.PodSpec;
  readonly lost: readonly string[];
} {
  const taken = containers.map((container) => split(container, containerFields));
  const own = split(pod, podFields);
  const lost = [...own.lost, ...taken.flatMap((one) => one.lost.map((field) => `containers.${field}`))];
  const ready = taken.map(({ kept }) => withOnePort(kept as unknown as api.Container));
  const spec = { ...(own.kept as Omit<api.PodSpec, "containers">), containers: ready };
  return { spec: withoutIdleVolumes(spec), lost: [...new Set(lost)] };
}

function split(of: object, fields: readonly string[]) {
  const entries = Object.entries(of).filter(([, value]) => value !== undefined);
  const kept = Object.fromEntries(entries.filter(([key]) => fields.includes(key)));
  return { kept, lost: entries.map(([key]) => key).filter((key) => !fields.includes(key)) };
}

/** Knative refuses volumes that no container mounts. */
function withoutIdleVolumes(spec: api.PodSpec): api.PodSpec {
  if (spec.volumes === undefined) return spec;
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  const mounted = new Set(all.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)));
  return { ...spec, volumes: spec.volumes.filter(({ name }) => mounted.has(name)) };
}

/** A revision is reached at one port, whose name says the protocol. */
function withOnePort(container: api.Container): api.Container {
  const [first] = container.ports ?? [];
  if (first === undefined) return container;
  const name = first.name === "h2c" ? "h2c" : "http1";
  return { ...container, ports: [{ name, containerPort: first.containerPort }] };
}
