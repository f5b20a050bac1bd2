import { isServed } from "@trivium/domain";
import { type RouteParentReport, readRouteParents } from "@trivium/engines";
import { Gateway, HTTPRoute, Ingress, type Kind, type KubeObject, VirtualService } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import type { Configuration, IngressSettings } from "../../configuration/index.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { labelValueOf, serviceLabel } from "../../names.ts";
import type { OmeOptions } from "../../options.ts";
import { settleIngress } from "./settings.ts";

export const entryKinds = [HTTPRoute, Ingress, VirtualService] as const satisfies readonly Kind[];
export const entryReads = [...entryKinds, Gateway] as const satisfies readonly Kind[];
type EntryReader = Reader<(typeof entryReads)[number]>;
export type RouteKind = "HTTPRoute" | "Ingress" | "VirtualService";

/** One object that leads to the service, and what those say who carry it out. */
export interface ObservedRoute {
  readonly kind: RouteKind;
  readonly name: string;
  /** Who carries it out. */
  readonly by: string;
  readonly parents: readonly RouteParentReport[];
}

export interface ObservedEntry {
  /** Whether the API has the kinds that are no part of Kubernetes. */
  readonly gatewayApi?: Fact<boolean>;
  readonly istio?: Fact<boolean>;
  readonly routes: readonly ObservedRoute[];
  /** Looked for only while no Gateway has answered. */
  readonly isGatewayMissing?: true;
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
    ...(settled.settings.api === "gateway" ? observeGateway(settled.settings, routes, reader) : {}),
    ...(settled.settings.virtualHosts === "on" ? { istio: reader.ask(isServed, kindOf(VirtualService)) } : {}),
    routes,
  };
}

/** A Gateway that has answered is there, and need not be watched. */
function observeGateway(
  { gateway }: Pick<IngressSettings, "gateway">,
  routes: readonly ObservedRoute[],
  reader: EntryReader,
): Pick<ObservedEntry, "gatewayApi" | "isGatewayMissing"> {
  const gatewayApi = reader.ask(isServed, kindOf(HTTPRoute));
  const isUnanswered = routes.some(({ kind, parents }) => kind === "HTTPRoute" && parents.length === 0);
  if (gatewayApi.is !== "known" || !gatewayApi.value || !isUnanswered) return { gatewayApi };
  const [namespace = "", name = ""] = gateway.split("/");
  const isMissing = reader.get(Gateway, { namespace, name }).is === "absent";
  return { gatewayApi, ...(isMissing ? { isGatewayMissing: true } : {}) };
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
      ...reportsOn(kind.kind as RouteKind, one),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

type Reports = Pick<ObservedRoute, "by" | "parents">;

function reportsOn(kind: RouteKind, object: KubeObject): Reports {
  switch (kind) {
    case "HTTPRoute":
      return reportsOnRoute(object as HTTPRoute);
    case "Ingress":
      return reportsOnIngress(object as Ingress);
    case "VirtualService":
      return reportsOnHost(object as VirtualService);
  }
}

const accepted: RouteParentReport = { accepted: true, reason: "Accepted", message: "" };

function reportsOnRoute(route: HTTPRoute): Reports {
  const names = (route.status?.parents ?? []).map(({ parentRef }) => parentRef.name);
  return { by: `Gateway ${[...new Set(names)].join(", ")}`, parents: readRouteParents(route) };
}

function reportsOnIngress({ status }: Ingress): Reports {
  const places = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? "").filter(Boolean);
  return { by: `load balancer ${places.join(", ")}`, parents: places.length === 0 ? [] : [accepted] };
}

interface IstioStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
  readonly validationMessages?: readonly { readonly level?: string; readonly type?: { readonly code?: string } }[];
}

/** Istio says nothing unless it is told to; then what it says counts. */
function reportsOnHost({ status }: VirtualService): Reports {
  const by = "Istio";
  const { conditions = [], validationMessages = [] } = (status ?? {}) as IstioStatus;
  const wrong = validationMessages.find(({ level }) => level === "ERROR" || level === "3");
  if (wrong !== undefined)
    return { by, parents: [{ accepted: false, reason: wrong.type?.code ?? "see its status", message: "" }] };
  const isPending = conditions.find(({ type }) => type === "Reconciled")?.status === "False";
  return { by, parents: isPending ? [] : [accepted] };
}
