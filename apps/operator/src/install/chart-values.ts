import { defaultRegistry } from "@trivium/domain";
import type { Json, JsonObject } from "@trivium/std";
import { version } from "../version.ts";
import { Value } from "./value.ts";

/** Something that can be chosen at an installation. */
export interface ChartValue {
  readonly default: Json;
  readonly about: string;
  /** What is accepted, as a JSON schema. */
  readonly schema: JsonObject;
}

const text = (value: string, about: string): ChartValue => ({ default: value, about, schema: { type: "string" } });
const flag = (value: boolean, about: string): ChartValue => ({ default: value, about, schema: { type: "boolean" } });
const count = (value: number, about: string): ChartValue => ({
  default: value,
  about,
  schema: { type: "integer", minimum: 0 },
});
const tree = (value: JsonObject, about: string): ChartValue => ({ default: value, about, schema: { type: "object" } });
const words = (about: string): ChartValue => ({
  default: [],
  about,
  schema: { type: "array", items: { type: "string" } },
});
const objects = (about: string): ChartValue => ({
  default: [],
  about,
  schema: { type: "array", items: { type: "object" } },
});

const resources = (cpu: string, memory: string, limit: string): JsonObject => ({
  requests: { cpu, memory },
  limits: { memory: limit },
});

/** Every value of the chart. */
export const chartValues = {
  dialects: {
    default: ["aim", "ome", "llmkube"],
    about: "APIs to reconcile",
    schema: { type: "array", minItems: 1, uniqueItems: true, items: { enum: ["aim", "aim-eai", "ome", "llmkube"] } },
  },
  namespace: text(
    "",
    "reconcile objects of this namespace only; empty for all. Install the release into it, and set nodeAgent.namespace to it",
  ),
  "image.registry": text(defaultRegistry, "registry and path of all images"),
  "image.tag": text(version, "version of all images"),
  "image.pullPolicy": {
    default: "IfNotPresent",
    about: "when images are pulled",
    schema: { enum: ["Always", "IfNotPresent", "Never"] },
  },
  imagePullSecrets: objects("Secrets with credentials of the registry"),
  "operator.replicas": count(2, "operator pods; one works, the others take over when it stops"),
  "operator.args": words("further options of the operator, such as --aim-base-image=…"),
  "operator.env": objects("environment variables of the operator"),
  "operator.resources": tree(resources("100m", "256Mi", "1Gi"), "resources of the operator"),
  "operator.nodeSelector": tree({}, "labels of the nodes that the operator runs on"),
  "operator.tolerations": objects("taints that the operator tolerates"),
  "operator.affinity": tree({}, "affinity of the operator"),
  "gateway.enabled": flag(true, "install the gateway"),
  "gateway.replicas": count(1, "gateway pods; several do not scale idle services to zero"),
  "gateway.maxReplicas": count(
    0,
    "let a HorizontalPodAutoscaler choose between gateway.replicas and this many pods; 0 for a fixed number",
  ),
  "gateway.targetCPU": text("700m", "average CPU of a gateway pod above which pods are added; empty to ignore CPU"),
  "gateway.targetRequests": count(
    0,
    "average requests in progress of a gateway pod above which pods are added; 0 to ignore them. Needs a metrics adapter that serves trivium_gateway_in_flight",
  ),
  "gateway.apiKeysSecret": text("", "name of a Secret whose values are API keys; empty for no keys"),
  "gateway.args": words("further options of the gateway"),
  "gateway.resources": tree(resources("100m", "128Mi", "1Gi"), "resources of the gateway"),
  "gateway.serviceType": {
    default: "ClusterIP",
    about: "type of the gateway's Service",
    schema: { enum: ["ClusterIP", "NodePort", "LoadBalancer"] },
  },
  "gateway.nodeSelector": tree({}, "labels of the nodes that the gateway runs on"),
  "gateway.tolerations": objects("taints that the gateway tolerates"),
  "webhooks.enabled": flag(true, "validate objects of OME before they are stored, where ome is one of the dialects"),
  "webhooks.failurePolicy": {
    default: "Ignore",
    about:
      "what the API server does with objects of OME while no operator responds: Ignore stores them, Fail refuses them",
    schema: { enum: ["Ignore", "Fail"] },
  },
  "dashboard.enabled": flag(false, "serve the dashboard; users log in with a token of the cluster and have its rights"),
  "dashboard.readOnly": flag(false, "refuse every change of an object in the dashboard"),
  "dashboard.allowedHosts": words("host names of an Ingress or another proxy in front of the dashboard"),
  "nodeAgent.enabled": flag(true, "install the node agent of OME, where ome is one of the dialects"),
  "nodeAgent.namespace": text("ome", "namespace of the node agent and of the ConfigMaps of OME; created if missing"),
  "nodeAgent.modelsRoot": text("/mnt/data/models", "folder of the nodes that contains the models"),
  "nodeAgent.args": words("further options of the node agent, such as --disk-limit=500G"),
  "nodeAgent.env": objects("further environment variables of the node agent, such as HF_ENDPOINT"),
  "nodeAgent.certificatesConfigMap": text(
    "trusted-certificates",
    "name of a ConfigMap in the namespace of the node agent whose .crt and .pem entries are authorities that sources of models are signed by; optional, read when the agent starts",
  ),
  "nodeAgent.resources": tree(resources("100m", "128Mi", "1Gi"), "resources of the node agent"),
  "nodeAgent.nodeSelector": tree({}, "labels of the nodes that the node agent runs on"),
  "nodeAgent.tolerations": {
    default: [{ key: "nvidia.com/gpu", operator: "Exists", effect: "NoSchedule" }],
    about: "taints that the node agent tolerates",
    schema: { type: "array", items: { type: "object" } },
  },
  userRoles: flag(true, "add the kinds of the dialects to the ClusterRoles view, edit and admin"),
  podDisruptionBudget: flag(
    true,
    "lose at most one pod of the operator and one of the gateway at a time to voluntary disruptions",
  ),
  networkPolicy: flag(true, "allow connections to the ports that are served, and to no others"),
  "monitoring.authentication": flag(
    true,
    "require a token of an account that has ClusterRole <release>-metrics-reader to read metrics",
  ),
  "monitoring.serviceMonitor": flag(false, "create ServiceMonitors for the Prometheus operator"),
  "monitoring.dashboard": flag(false, "create a ConfigMap with a dashboard for Grafana"),
} as const satisfies Record<string, ChartValue>;

export type ValueName = keyof typeof chartValues;

/** What is chosen without Helm. */
export interface Chosen {
  readonly release: string;
  readonly namespace: string;
  readonly values: Partial<Record<ValueName, Json>>;
}

/** The choices of one installation, each as a value that can also be an expression of Helm. */
export class Settings {
  readonly #chosen: Chosen;

  constructor(chosen: Chosen) {
    this.#chosen = chosen;
  }

  read(name: ValueName): Json {
    return this.#chosen.values[name] ?? chartValues[name].default;
  }

  value(name: ValueName): Value {
    return new Value(`toJson .Values.${name}`, this.read(name));
  }

  get namespace(): Value {
    return new Value(".Release.Namespace | toJson", this.#chosen.namespace);
  }

  get namespaceText(): string {
    return this.#chosen.namespace;
  }

  /** `trivium-operator` */
  name(suffix: string): Value {
    return new Value(`printf "%s-${suffix}" .Release.Name | toJson`, this.nameText(suffix));
  }

  nameText(suffix: string): string {
    return `${this.#chosen.release}-${suffix}`;
  }

  image(program: string): Value {
    return new Value(
      `printf "%s/trivium-${program}:%s" .Values.image.registry .Values.image.tag | toJson`,
      this.imageText(program),
    );
  }

  imageText(program: string): string {
    return `${this.read("image.registry")}/trivium-${program}:${this.read("image.tag")}`;
  }

  /** Whether a switch is on. */
  isOn(name: ValueName): Value {
    return new Value(`.Values.${name}`, this.read(name) === true);
  }

  hasDialect(dialect: string): Value {
    return new Value(`has "${dialect}" .Values.dialects`, (this.read("dialects") as string[]).includes(dialect));
  }

  hasNamespace(): Value {
    return new Value(".Values.namespace", this.read("namespace") !== "");
  }
}

export const both = (...conditions: readonly Value[]): Value =>
  new Value(
    `and ${conditions.map(({ helm }) => `(${helm})`).join(" ")}`,
    conditions.every(({ concrete }) => concrete === true),
  );

export const not = ({ helm, concrete }: Value): Value => new Value(`not (${helm})`, concrete !== true);
