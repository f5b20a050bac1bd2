import { emitAutoscaler, emitDeployment, emitService } from "@trivium/emitters";
import {
  ConfigMap,
  type Deployment,
  HTTPRoute,
  PodDisruptionBudget,
  Role,
  RoleBinding,
  ServiceAccount,
} from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { shortHash } from "@trivium/std";
import type { InferenceService } from "../kinds/inference-service.ts";
import { componentLabel, labelValueOf, serviceLabel, serviceNameOf } from "../names.ts";
import type { OmeOptions } from "../options.ts";
import { type ComponentPlan, serviceTypeOf } from "./component-plan.ts";
import { hostOf } from "./entry.ts";
import type { Intended } from "./lower.ts";
import type { ModelSeen } from "./observe.ts";

/** Everything that a service consists of. */
export function childrenOf(service: InferenceService, plan: Intended, { ingress }: OmeOptions): Desired[] {
  return [
    modelListing(service, plan.model),
    ...plan.components.flatMap(componentChildren),
    entryService(service, plan),
    ...(ingress.strategy === "gateway" ? [routeOf(service, plan.entry, ingress)] : []),
  ];
}

function componentChildren({ workload, strategy, address, scaling, disruption, account }: ComponentPlan): Desired[] {
  const { name, labels } = workload;
  const deployment = emitDeployment(workload);
  const budget: PodDisruptionBudget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, labels: { ...labels } },
    spec: disruption,
  };
  const rolled = { ...deployment.object, spec: { ...deployment.object.spec, strategy } } as Deployment;
  return [
    ...(account === undefined ? [] : accountChildren(account, labels)),
    { ...deployment, object: rolled },
    emitService(address),
    ...(scaling === undefined ? [] : [emitAutoscaler(scaling)]),
    { kind: PodDisruptionBudget, object: budget },
  ];
}

/** A router finds the pods that it spreads requests over by itself. */
function accountChildren(name: string, labels: Readonly<Record<string, string>>): Desired[] {
  const metadata = { name, labels: { ...labels } };
  const account: ServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata };
  const role: Role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata,
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] }],
  };
  const binding: RoleBinding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name }],
  };
  return [
    { kind: ServiceAccount, object: account },
    { kind: Role, object: role },
    { kind: RoleBinding, object: binding },
  ];
}

const baseLabels = ({ metadata }: InferenceService): Record<string, string> => ({
  [serviceLabel]: labelValueOf(metadata.name ?? ""),
});

/** The address that stays, whatever the service is made of: it has the service's own name. */
function entryService(service: InferenceService, { entry, model }: Intended): Desired {
  const { name = "" } = service.metadata;
  const [first] = entry.address.ports;
  return emitService({
    name: serviceNameOf(name),
    labels: { ...baseLabels(service), [componentLabel]: "external-service" },
    annotations: { "trivium.dev/models": [...new Set([name, model.name])].join(",") },
    selector: { ...baseLabels(service), [componentLabel]: entry.name },
    type: serviceTypeOf(service, undefined),
    ports: [{ name: "http", port: first?.port ?? 8080, target: first?.target ?? 8080 }],
  });
}

function routeOf(service: InferenceService, entry: ComponentPlan, ingress: OmeOptions["ingress"]): Desired {
  const { name = "" } = service.metadata;
  const [gatewayNamespace, gatewayName] = ingress.gateway.split("/");
  const route: HTTPRoute = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name, labels: { ...baseLabels(service), [componentLabel]: "external-service" } },
    spec: {
      parentRefs: [{ name: gatewayName ?? "", namespace: gatewayNamespace ?? "" }],
      hostnames: [hostOf(service, ingress.domain)],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: "/" } }],
          backendRefs: [{ name: serviceNameOf(name), port: entry.address.ports[0]?.port ?? 8080 }],
        },
      ],
    },
  } as HTTPRoute;
  return { kind: HTTPRoute, object: route };
}

/** Which models the service is of, for whoever looks from inside a pod. Nothing secret is in it. */
function modelListing(service: InferenceService, model: ModelSeen): Desired {
  const { name = "" } = service.metadata;
  const { traits, place, storage } = model;
  const entry = {
    modelName: model.name,
    modelSpec: {
      storageUri: storage.storageUri,
      path: place.is === "faulty" ? "" : place.path,
      schemaPath: storage.schemaPath,
      modelFormatName: traits.modelFormat?.name,
      modelFormatVersion: traits.modelFormat?.version,
      modelType: storage.modelType,
      modelFrameworkName: traits.modelFramework?.name,
      modelFrameworkVersion: traits.modelFramework?.version,
    },
  };
  const object: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `modelconfig-${name.slice(-20).replace(/^-+/, "")}-${shortHash(name, 6)}`,
      labels: baseLabels(service),
    },
    data: { "models.json": JSON.stringify([entry]) },
  };
  return { kind: ConfigMap, object };
}
