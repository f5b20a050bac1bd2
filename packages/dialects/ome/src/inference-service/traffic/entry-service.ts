import { emitService } from "@trivium/emitters";
import { Service } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { componentLabel, labelValueOf, serviceLabel, serviceNameOf } from "../../names.ts";
import { serviceTypeOf } from "../roles/component-parts.ts";
import { type EntryComponents, isServerless, portOf } from "./component.ts";
import { entryLabels } from "./entry-labels.ts";
import type { EntryPlan } from "./entry-plan.ts";

interface Request {
  readonly parts: EntryComponents;
  readonly plan: EntryPlan;
  /** Names that the service answers to. */
  readonly models: readonly string[];
}

/**
 * The address that stays, whatever the service is made of: it has the service's own name. Where it is the only way in, it is as public as its
 * annotations want it.
 */
export function entryService(service: InferenceService, request: Request): Desired[] {
  const { parts, plan, models } = request;
  if (isServerless(parts.entry)) return plan.is === "open" ? [aliasOf(service, plan.settings.localGatewayService)] : [];
  const { entry } = parts;
  const isOnlyWay = plan.is === "closed" && plan.why === "IngressDisabled";
  const emitted = emitService({
    name: nameOf(service),
    labels: entryLabels(service),
    annotations: {
      ...(isOnlyWay ? balancerAnnotations(service) : {}),
      "trivium.dev/models": [...new Set(models)].join(","),
    },
    selector: selectorOf(service, parts),
    type: isOnlyWay ? serviceTypeOf(service, undefined) : "ClusterIP",
    ports: [{ name: "http", port: portOf(entry), target: entry.address.ports[0]?.target ?? 8080 }],
  });
  const address = service.metadata.annotations?.["ome.io/load-balancer-ip"];
  if (emitted.object.spec?.type !== "LoadBalancer" || !address) return [emitted];
  const spec = { ...emitted.object.spec, loadBalancerIP: address };
  const object: Service = { ...emitted.object, spec };
  return [{ kind: Service, object }];
}

const nameOf = ({ metadata }: InferenceService): string => serviceNameOf(metadata.name ?? "");

/** Of a group of pods only the leader answers. While a candidate is tried out, whoever comes by this address stays with the proven one. */
function selectorOf(service: InferenceService, { entry }: EntryComponents): Record<string, string> {
  const { app, ...rest } = entry.address.selector ?? {};
  return {
    ...(entry.backends === undefined || app === undefined ? {} : { app }),
    ...rest,
    [serviceLabel]: labelValueOf(service.metadata.name ?? ""),
    [componentLabel]: entry.name,
  };
}

const balancerPrefixes = ["service.beta.kubernetes.io/", "cloud.google.com/", "service.kubernetes.io/"];

function balancerAnnotations({ metadata }: InferenceService): Record<string, string> {
  const all = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(all.filter(([key]) => balancerPrefixes.some((prefix) => key.startsWith(prefix))));
}

/** Knative's pods are asked for through its gateway, which knows this name from the VirtualService. */
function aliasOf(service: InferenceService, externalName: string): Desired {
  const object: Service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: nameOf(service), labels: entryLabels(service) },
    spec: { type: "ExternalName", externalName, sessionAffinity: "None" },
  };
  return { kind: Service, object };
}
