import type { AliasPlan, ServicePlan } from "@trivium/domain";
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
  readonly adapters?: Readonly<Record<string, string>>;
}

/**
 * The address that stays, whatever the service is made of: it has the service's own name. Where it is the only way in, it is as public as its
 * annotations want it.
 */
export function planEntryService(service: InferenceService, request: Request): EntryAddress {
  const { parts, plan, models, adapters = {} } = request;
  if (isServerless(parts.entry))
    return plan.is === "open" ? { alias: aliasOf(service, plan.settings.localGatewayService) } : {};
  const { entry } = parts;
  const isOnlyWay = plan.is === "closed" && plan.why === "IngressDisabled";
  const type = isOnlyWay ? serviceTypeOf(service, undefined) : "ClusterIP";
  const balancer = type === "LoadBalancer" ? service.metadata.annotations?.["ome.io/load-balancer-ip"] : undefined;
  const address: ServicePlan = {
    name: nameOf(service),
    labels: entryLabels(service),
    annotations: {
      ...(isOnlyWay ? balancerAnnotations(service) : {}),
      "trivium.dev/models": [...new Set(models)].join(","),
      ...adapters,
    },
    selector: selectorOf(service, parts),
    type,
    ports: [{ name: "http", port: portOf(entry), target: entry.address.ports[0]?.target ?? 8080 }],
    ...(balancer ? { loadBalancerIP: balancer } : {}),
  };
  return { address };
}

/** One of the two; neither where Knative alone serves it. */
interface EntryAddress {
  readonly address?: ServicePlan;
  readonly alias?: AliasPlan;
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
const aliasOf = (service: InferenceService, externalName: string): AliasPlan => ({
  name: nameOf(service),
  labels: entryLabels(service),
  externalName,
});
