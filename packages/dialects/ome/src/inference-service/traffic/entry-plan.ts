import type { Configuration, IngressSettings } from "../../configuration/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { OmeOptions } from "../../options.ts";
import { type EntryComponents, isServerless } from "./component.ts";
import { type EntryHosts, planHosts } from "./hosts.ts";
import type { ObservedEntry, RouteKind } from "./observe.ts";
import { type FaultyIngress, isPrivate, settleIngress } from "./settings.ts";

/** How requests find the service. */
export type EntryPlan =
  /** By the Service of its own name only. */
  | { readonly is: "closed"; readonly why: "IngressDisabled" | "ClusterLocal" }
  /** Not as things are; what led there before goes on leading there. */
  | FaultyIngress
  /** By objects of a kind that this API does not have. */
  | { readonly is: "missing"; readonly why: string }
  | OpenEntry;

export interface OpenEntry {
  readonly is: "open";
  readonly by: RouteKind;
  readonly hosts: EntryHosts;
  readonly settings: IngressSettings;
  /** Whether only those inside the cluster may come. */
  readonly reach: "everybody" | "cluster";
  readonly warnings: readonly string[];
}

export interface EntryInput {
  readonly service: InferenceService;
  readonly parts: EntryComponents;
  readonly observed: ObservedEntry | undefined;
  readonly configuration: Configuration | undefined;
  readonly options: Pick<OmeOptions, "ingress">;
}

export function planEntry(input: EntryInput): EntryPlan {
  const { service, parts, observed, configuration, options } = input;
  const settled = settleIngress(service, configuration, options);
  if (settled.is === "faulty") {
    // Where nothing led in before and nothing is usual, a key that cannot be read takes nothing away.
    const isUnread = configuration?.faults.ingress !== undefined;
    const isUnused = isUnread && options.ingress.creation === "off" && !observed?.routes.length;
    return isUnused ? { is: "closed", why: "IngressDisabled" } : settled;
  }
  const { settings } = settled;
  const isKnative = isServerless(parts.entry);
  if (settings.creation === "off") return { is: "closed", why: "IngressDisabled" };
  if (isKnative && settings.virtualHosts === "off") return { is: "closed", why: "IngressDisabled" };
  const hidden = isPrivate(service);
  if (hidden && !isKnative) return { is: "closed", why: "ClusterLocal" };
  const by: RouteKind = isKnative ? "VirtualService" : settings.api === "gateway" ? "HTTPRoute" : "Ingress";
  const missing = missingKind(by, observed ?? { routes: [] });
  if (missing !== undefined) return { is: "missing", why: missing };
  const names = parts.components.length > 1 ? parts.components.map(({ name }) => name) : [];
  // Without rewriting, services that share a host could not be told apart.
  const hosts = planHosts(service, names, by === "Ingress" ? { ...settings, pathTemplate: "" } : settings);
  if (hosts.is === "faulty") return { ...hosts, whose: "author" };
  const { is: _, ...planned } = hosts;
  const warnings = by === "Ingress" ? ingressWarnings(parts, settings) : [];
  return { is: "open", by, hosts: planned, settings, reach: hidden ? "cluster" : "everybody", warnings };
}

function missingKind(by: RouteKind, { gatewayApi, istio }: ObservedEntry): string | undefined {
  if (by === "HTTPRoute" && gatewayApi?.is === "known" && !gatewayApi.value)
    return "The Gateway API is not installed, so no HTTPRoute can be created; install it, or set enableGatewayAPI to false";
  if (by === "VirtualService" && istio?.is === "known" && !istio.value)
    return "Istio is not installed, so no VirtualService can be created; install it, or set disableIstioVirtualHost to true";
  return undefined;
}

/** What HTTPRoutes can do and Ingresses cannot. */
function ingressWarnings({ components }: EntryComponents, { pathTemplate }: IngressSettings): string[] {
  return [
    ...(pathTemplate === ""
      ? []
      : ["an Ingress cannot rewrite paths, so hosts are used; set enableGatewayAPI to true to use paths"]),
    ...(components.some(({ backends }) => backends !== undefined)
      ? ["an Ingress cannot split traffic by weight; set enableGatewayAPI to true"]
      : []),
  ];
}
