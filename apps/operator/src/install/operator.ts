import { type Dialect, userRolesOf } from "@trivium/reconcile";
import { leaderPermissions, planReportPermissions } from "@trivium/runtime";
import { eventHome, eventPermissions, type Permitted, rulesOf } from "../rbac.ts";
import { both, not, type Settings } from "./chart-values.ts";
import { grant } from "./grants.ts";
import { metricsAccess } from "./monitoring.ts";
import {
  type DeploymentFrame,
  deployment,
  disruptionBudget,
  metadataOf,
  networkPolicy,
  selectorOf,
  serviceAccount,
} from "./pod.ts";
import { type Open, type Part, Value } from "./value.ts";
import { dashboardArguments } from "./web-dashboard.ts";
import { webhookArguments } from "./webhooks.ts";

const file = "operator";
const port = 9440;

/** The operator: two pods of which one works, and what they need. */
export function operatorParts(s: Settings, permitted: readonly Permitted[]): Part[] {
  return [
    { file, object: serviceAccount(s, file) },
    ...accessParts(s, permitted),
    { file, object: deployment(s, frame(s)) },
    { file, object: service(s) },
    { file, when: s.isOn("podDisruptionBudget"), object: disruptionBudget(s, file) },
    { file, when: s.isOn("networkPolicy"), object: networkPolicy(s, file, ["health"]) },
  ];
}

/** Rights by dialect, from what its reconcilers read and write: a dialect that is not installed grants nothing. */
function accessParts(s: Settings, permitted: readonly Permitted[]): Part[] {
  const leader = { component: file, name: "operator-leader", rules: leaderPermissions, within: s.namespace };
  return [
    ...permitted.flatMap((parts) => parts.dialects.flatMap(({ name }) => dialectGrants(s, name, parts))),
    ...grant(s, {
      file: "operator-access",
      when: s.hasNamespace(),
      component: file,
      name: "operator-events",
      rules: eventPermissions,
      within: new Value(`"${eventHome}" | toJson`, eventHome),
    }),
    ...grant(s, { ...leader, file: "operator-access" }),
    ...grant(s, { ...leader, name: "operator-take-over", rules: planReportPermissions, file: "operator-access" }),
  ];
}

/** With one namespace, rights to namespaced kinds hold only there. */
function dialectGrants(s: Settings, dialect: string, parts: Permitted): Part[] {
  const when = s.hasDialect(dialect);
  const common = { file: "operator-access", component: file, name: `operator-${dialect}` };
  const everywhere = rulesOf({ installCrds: false }, parts).clusterWide;
  const { clusterWide, namespaced } = rulesOf({ namespace: "one", installCrds: false }, parts);
  const oneNamespace = both(when, s.hasNamespace());
  return [
    ...grant(s, { ...common, when: both(when, not(s.hasNamespace())), rules: everywhere }),
    ...grant(s, { ...common, when: oneNamespace, rules: clusterWide }),
    ...grant(s, { ...common, when: oneNamespace, rules: namespaced, within: s.value("namespace") }),
  ];
}

export function userRoleParts(s: Settings, dialects: readonly Dialect[]): Part[] {
  return dialects.flatMap((dialect) =>
    userRolesOf(dialect).map((role) => ({
      file: "user-roles",
      when: both(s.isOn("userRoles"), s.hasDialect(dialect.name)),
      object: role as unknown as { [key: string]: Open },
    })),
  );
}

function argumentsOf(s: Settings): Value {
  const fixed = [`--listen=:${port}`, "--operator-namespace=$(POD_NAMESPACE)"];
  const namespace = String(s.read("namespace"));
  const chosen = [
    `--dialects=${(s.read("dialects") as string[]).join(",")}`,
    `--metrics-access=${metricsAccess(s).concrete}`,
    `--weights-image=${s.imageText("weights")}`,
    `--lease-name=${s.nameText("operator")}`,
    `--ome-namespace=${s.read("nodeAgent.namespace")}`,
    `--ome-models-root=${s.read("nodeAgent.modelsRoot")}`,
  ];
  const helm = [
    ...fixed.map((each) => JSON.stringify(each)),
    `(printf "--dialects=%s" (join "," .Values.dialects))`,
    `(printf "--metrics-access=%s" (${metricsAccess(s).helm}))`,
    `(printf "--weights-image=%s/trivium-weights:%s" .Values.image.registry .Values.image.tag)`,
    `(printf "--lease-name=%s-operator" .Release.Name)`,
    `(printf "--ome-namespace=%s" .Values.nodeAgent.namespace)`,
    `(printf "--ome-models-root=%s" .Values.nodeAgent.modelsRoot)`,
  ];
  const webhooks = webhookArguments(s);
  const dashboard = dashboardArguments(s);
  const optional = `(ternary (list (printf "--namespace=%s" .Values.namespace)) (list) (ne .Values.namespace ""))`;
  return new Value(
    `concat (list ${helm.join(" ")}) ${webhooks.helm} ${dashboard.helm} ${optional} .Values.operator.args | toJson`,
    [
      ...fixed,
      ...chosen,
      ...webhooks.concrete,
      ...dashboard.concrete,
      ...(namespace === "" ? [] : [`--namespace=${namespace}`]),
      ...(s.read("operator.args") as string[]),
    ],
  );
}

const podNamespace = { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } };

function frame(s: Settings): DeploymentFrame {
  const env = new Value(
    `concat (list (dict "name" "POD_NAMESPACE" "valueFrom" (dict "fieldRef" (dict "fieldPath" "metadata.namespace")))) .Values.operator.env | toJson`,
    [podNamespace, ...(s.read("operator.env") as [])],
  );
  return {
    component: file,
    replicas: s.value("operator.replicas"),
    grace: 30,
    health: { port: "health", period: 10 },
    container: {
      args: argumentsOf(s),
      env,
      ports: [{ name: "health", containerPort: port, protocol: "TCP" }],
    },
    pod: { affinity: s.value("operator.affinity") },
  };
}

const service = (s: Settings): Part["object"] => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: metadataOf(s, file),
  spec: { selector: selectorOf(s, file), ports: [{ name: "health", port, targetPort: "health", protocol: "TCP" }] },
});
