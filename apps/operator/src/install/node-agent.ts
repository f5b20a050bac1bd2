import { metricsAccessRules } from "@trivium/client";
import type { PolicyRule } from "@trivium/runtime";
import { both, not, type Settings } from "./chart-values.ts";
import { grant, grantInScope } from "./grants.ts";
import { metricsAccess } from "./monitoring.ts";
import { labelsOf, metadataOf, networkPolicy, probe, restrictedContainer, selectorOf, serviceAccount } from "./pod.ts";
import { type Open, type Part, Value } from "./value.ts";

const file = "node-agent";

const reading = ["get", "list", "watch"];
const modelRule: PolicyRule = { apiGroups: ["ome.io"], resources: ["basemodels"], verbs: reading };

/** It reads models and tuned weights, and reports in labels of Nodes what it holds. */
const clusterRules: readonly PolicyRule[] = [
  { apiGroups: ["ome.io"], resources: ["clusterbasemodels", "finetunedweights"], verbs: reading },
  { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch", "patch"] },
];

const reportRules: readonly PolicyRule[] = [
  { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "create", "patch"] },
];

const secretRules: readonly PolicyRule[] = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];

/** One agent a node that downloads models of OME, in the namespace where OME keeps its own objects. */
export function nodeAgentParts(s: Settings): Part[] {
  const isOme = s.hasDialect("ome");
  const when = both(s.isOn("nodeAgent.enabled"), isOme);
  const home = s.value("nodeAgent.namespace");
  const access = { file: "node-agent-access", when, component: file, home };
  const [secretRole, secretBinding] = grant(s, {
    ...access,
    name: "node-agent-secrets",
    rules: secretRules,
    within: home,
  });
  return [
    { file: "node-agent-access", when: both(isOme, isMissing(s)), object: namespace(home) },
    { file: "node-agent-access", when, object: serviceAccount(s, file, home) },
    ...grant(s, { ...access, name: file, rules: clusterRules }),
    ...grantInScope(s, { ...access, name: "node-agent-models", rules: [modelRule] }),
    ...grant(s, { ...access, name: file, rules: reportRules, within: home }),
    ...asSharedRole(s, secretRole, secretBinding),
    ...grant(s, {
      ...access,
      when: both(when, s.isOn("monitoring.authentication")),
      name: "node-agent-metrics",
      rules: metricsAccessRules,
    }),
    { file, when, object: daemonSet(s, home) },
    { file, when: both(when, s.isOn("networkPolicy")), object: networkPolicy(s, file, ["health"], home) },
    { file, when: both(when, s.isOn("monitoring.serviceMonitor")), object: service(s, home) },
  ];
}

/** Bound in one namespace only. A namespace whose BaseModels name Secrets of their own binds it there, too. */
function asSharedRole(s: Settings, role: Part | undefined, binding: Part | undefined): Part[] {
  if (role === undefined || binding === undefined) return [];
  const metadata = { name: s.name("node-agent-secrets"), labels: labelsOf(file) };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: s.name("node-agent-secrets") };
  return [
    { ...role, object: { ...role.object, kind: "ClusterRole", metadata } },
    { ...binding, object: { ...binding.object, roleRef } },
  ];
}

/**
 * Helm refuses to install over a namespace of a user, who can have put Secrets and certificates there before, and over the namespace
 * of the release, which it creates itself after it has looked up what exists.
 */
const isMissing = (s: Settings): Value =>
  new Value(
    `and (ne .Values.nodeAgent.namespace .Release.Namespace) (not (lookup "v1" "Namespace" "" .Values.nodeAgent.namespace))`,
    s.read("nodeAgent.namespace") !== s.namespaceText,
  );

/** It also holds objects of users, so it stays when the chart is uninstalled. */
const namespace = (name: Value): Part["object"] => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, annotations: { "helm.sh/resource-policy": "keep" } },
});

function argumentsOf(s: Settings): Value {
  const fixed = ["--health-host=0.0.0.0", "--health-port=8080"];
  const access = metricsAccess(s);
  const namespace = String(s.read("namespace"));
  const helm = [
    ...fixed.map((each) => JSON.stringify(each)),
    `(printf "--metrics-access=%s" (${access.helm}))`,
    `(printf "--namespace=%s" .Values.nodeAgent.namespace)`,
    `(printf "--models-root=%s" .Values.nodeAgent.modelsRoot)`,
  ];
  const optional = `(ternary (list (printf "--watch-namespace=%s" .Values.namespace)) (list) (ne .Values.namespace ""))`;
  return new Value(`concat (list ${helm.join(" ")}) ${optional} .Values.nodeAgent.args | toJson`, [
    ...fixed,
    `--metrics-access=${access.concrete}`,
    `--namespace=${s.read("nodeAgent.namespace")}`,
    `--models-root=${s.read("nodeAgent.modelsRoot")}`,
    ...(namespace === "" ? [] : [`--watch-namespace=${namespace}`]),
    ...(s.read("nodeAgent.args") as string[]),
  ]);
}

/** Where a ConfigMap with certificates of authorities is mounted; an empty folder without one. */
const certificateFolder = "/etc/trivium/certificates";

function environmentOf(s: Settings): Value {
  const node = { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } };
  const certificates = { name: "TRIVIUM_WEIGHTS_CERTIFICATES", value: certificateFolder };
  const helm = [
    `(dict "name" "NODE_NAME" "valueFrom" (dict "fieldRef" (dict "fieldPath" "spec.nodeName")))`,
    `(dict "name" "${certificates.name}" "value" "${certificates.value}")`,
  ];
  return new Value(`concat (list ${helm.join(" ")}) .Values.nodeAgent.env | toJson`, [
    node,
    certificates,
    ...(s.read("nodeAgent.env") as []),
  ]);
}

/** Prometheus that follows these has no token, so they are for metrics that everybody can read. */
function annotationsOf(s: Settings): Value {
  const annotations = {
    "prometheus.io/scrape": "true",
    "prometheus.io/port": "8080",
    "prometheus.io/path": "/metrics",
  };
  const pairs = Object.entries(annotations).flat();
  return new Value(
    `dict ${pairs.map((each) => JSON.stringify(each)).join(" ")} | toJson`,
    annotations,
    not(s.isOn("monitoring.authentication")),
  );
}

/** By which a ServiceMonitor finds the pods. Its address is not a model. */
const service = (s: Settings, home: Value): Part["object"] => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { ...metadataOf(s, file), namespace: home, annotations: { "trivium.dev/models": "" } },
  spec: {
    clusterIP: "None",
    selector: selectorOf(s, file),
    ports: [{ name: "health", port: 8080, targetPort: "health", protocol: "TCP" }],
  },
});

const daemonSet = (s: Settings, home: Value): Part["object"] => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name: s.name(file), namespace: home, labels: labelsOf(file) },
  spec: {
    selector: { matchLabels: selectorOf(s, file) },
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } },
    template: {
      metadata: { labels: { ...labelsOf(file), ...selectorOf(s, file) }, annotations: annotationsOf(s) },
      spec: {
        serviceAccountName: s.name(file),
        priorityClassName: "system-node-critical",
        terminationGracePeriodSeconds: 30,
        imagePullSecrets: s.value("imagePullSecrets"),
        nodeSelector: s.value("nodeAgent.nodeSelector"),
        tolerations: s.value("nodeAgent.tolerations"),
        containers: [container(s)],
        volumes: [
          { name: "models", hostPath: { path: s.value("nodeAgent.modelsRoot"), type: "DirectoryOrCreate" } },
          { name: "certificates", configMap: { name: s.value("nodeAgent.certificatesConfigMap"), optional: true } },
        ],
      },
    },
  },
});

/** Models are at the same path on the node and in the agent, so that pods can mount what it reports. */
const container = (s: Settings): Open => ({
  name: "node-agent",
  image: s.image("node-agent"),
  imagePullPolicy: s.value("image.pullPolicy"),
  args: argumentsOf(s),
  env: environmentOf(s),
  ports: [{ name: "health", containerPort: 8080, protocol: "TCP" }],
  startupProbe: {
    httpGet: { path: "/livez", port: "health" },
    initialDelaySeconds: 2,
    periodSeconds: 5,
    failureThreshold: 12,
  },
  livenessProbe: probe("/livez", "health", 20),
  readinessProbe: probe("/readyz", "health", 10),
  resources: s.value("nodeAgent.resources"),
  // The folder of the node belongs to root.
  securityContext: { ...restrictedContainer, runAsUser: 0, seccompProfile: { type: "RuntimeDefault" } },
  volumeMounts: [
    { name: "models", mountPath: s.value("nodeAgent.modelsRoot") },
    { name: "certificates", mountPath: certificateFolder, readOnly: true },
  ],
});
