import { isServed } from "@trivium/domain";
import { findCondition, HTTPRoute, Ingress, type Kind, type KubeObject, VirtualService } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import type { Configuration } from "../../configuration/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { labelValueOf, serviceLabel } from "../../names.ts";
import type { OmeOptions } from "../../options.ts";
import { settleIngress } from "./settings.ts";

export const entryKinds = [HTTPRoute, Ingress, VirtualService] as const satisfies readonly Kind[];
type EntryReader = Reader<(typeof entryKinds)[number]>;
export type RouteKind = "HTTPRoute" | "Ingress" | "VirtualService";

/** One object that leads to the service, and what those say who carry it out. */
export interface ObservedRoute {
  readonly kind: RouteKind;
  readonly name: string;
  readonly outcome: RouteState;
}

export type RouteState =
  | { readonly is: "taken"; readonly by: string }
  | { readonly is: "refused"; readonly why: string }
  | { readonly is: "waiting" };

export interface ObservedEntry {
  /** Whether the API has the kinds that are no part of Kubernetes. */
  readonly gatewayApi?: Fact<boolean>;
  readonly istio?: Fact<boolean>;
  readonly routes: readonly ObservedRoute[];
}

const noEntry: ObservedEntry = { routes: [] };

export function observeEntry(
  service: InferenceService,
  reader: EntryReader,
  { configuration, options }: { readonly configuration: Fact<Configuration>; readonly options: OmeOptions },
): ObservedEntry {
  const settled = settleIngress(service, configuration.is === "known" ? configuration.value : undefined, options);
  if (settled.is === "settled" && settled.settings.creation === "off") return noEntry;
  const routes = entryKinds.flatMap((kind) => observeRoutes(service, kind, reader));
  if (settled.is === "faulty") return { routes };
  return {
    ...(settled.settings.api === "gateway" ? { gatewayApi: reader.ask(isServed, kindOf(HTTPRoute)) } : {}),
    ...(settled.settings.virtualHosts === "on" ? { istio: reader.ask(isServed, kindOf(VirtualService)) } : {}),
    routes,
  };
}

const kindOf = ({ group, kind }: Kind) => ({ group, kind });

/** Those of the service itself: one that somebody else made under the name is not ours to read. */
function observeRoutes<K extends (typeof entryKinds)[number]>(
  { metadata }: InferenceService,
  kind: K,
  reader: EntryReader,
): ObservedRoute[] {
  const labels = { [serviceLabel]: labelValueOf(metadata.name ?? "") };
  const found = reader.list(kind, { namespace: metadata.namespace, labels }) as readonly KubeObject[];
  return found
    .filter((one) => one.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true)
    .map((one) => ({
      kind: kind.kind as RouteKind,
      name: one.metadata.name ?? "",
      outcome: outcomeOf(kind.kind as RouteKind, one),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function outcomeOf(kind: RouteKind, object: KubeObject): RouteState {
  switch (kind) {
    case "HTTPRoute":
      return routeOutcome(object as HTTPRoute);
    case "Ingress":
      return ingressOutcome(object as Ingress);
    case "VirtualService":
      return hostOutcome(object as VirtualService);
  }
}

/** Every Gateway that has spoken must have taken the route as it is now, and found what it leads to. */
function routeOutcome({ metadata, status }: HTTPRoute): RouteState {
  const parents = status?.parents ?? [];
  let isWaiting = parents.length === 0;
  for (const { conditions = [], parentRef } of parents) {
    for (const type of ["Accepted", "ResolvedRefs"]) {
      const found = findCondition(conditions, type);
      const isOld = (found?.observedGeneration ?? metadata.generation ?? 0) < (metadata.generation ?? 0);
      if (found === undefined || isOld || found.status === "Unknown") isWaiting = true;
      else if (found.status !== "True") {
        const why = `Gateway ${parentRef.name}: ${found.reason}: ${found.message}`;
        return { is: "refused", why };
      }
    }
  }
  if (isWaiting) return { is: "waiting" };
  return { is: "taken", by: `Gateway ${[...new Set(parents.map(({ parentRef }) => parentRef.name))].join(", ")}` };
}

function ingressOutcome({ status }: Ingress): RouteState {
  const places = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? "").filter(Boolean);
  return places.length === 0 ? { is: "waiting" } : { is: "taken", by: `load balancer ${places.join(", ")}` };
}

interface IstioStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  readonly validationMessages?: readonly { readonly level?: string; readonly type?: { readonly code?: string } }[];
}

/** Istio says nothing unless it is told to; then what it says counts. */
function hostOutcome({ status }: VirtualService): RouteState {
  const { conditions = [], validationMessages = [] } = (status ?? {}) as IstioStatus;
  const wrong = validationMessages.find(({ level }) => level === "ERROR" || level === "3");
  if (wrong !== undefined) return { is: "refused", why: `Istio rejected it: ${wrong.type?.code ?? "see its status"}` };
  const reconciled = conditions.find(({ type }) => type === "Reconciled");
  if (reconciled?.status === "False") return { is: "waiting" };
  return { is: "taken", by: "Istio" };
}
