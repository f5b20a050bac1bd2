import {
  type Attachment,
  attachRoute,
  type BackendWorld,
  type RouteCondition,
  resolveReferences,
} from "@trivium/engines";
import {
  type Condition,
  Gateway,
  GatewayClass,
  HTTPRoute,
  mergeConditions,
  Namespace,
  ReferenceGrant,
  Service,
} from "@trivium/kube";
import type { Decision, Reader, Reconciler, StatusOf } from "@trivium/reconcile";
import { deepEqual, type Fact, type Instant } from "@trivium/std";
import { controllerName } from "./names.ts";
import { attachmentWorld, type ObservedGateways } from "./world.ts";

type Reads = typeof Gateway | typeof GatewayClass | typeof Namespace | typeof Service | typeof ReferenceGrant;
type Parent = NonNullable<HTTPRoute["status"]>["parents"][number];

export interface ObservedRoute extends ObservedGateways {
  readonly services: readonly Service[];
  readonly grants: readonly ReferenceGrant[];
}

/** Says of each route whether our Gateways have taken it and whether its backends are there. */
export function httpRouteReconciler(orphans: "adopt" | "leave" = "leave"): Reconciler<HTTPRoute, ObservedRoute, Reads> {
  return {
    name: "gateway.http-route",
    kind: HTTPRoute,
    reads: [Gateway, GatewayClass, Namespace, Service, ReferenceGrant],
    writes: [],
    observe,
    decide: (route, observed, now) => decide(route, observed, now, orphans),
  };
}

function observe(route: HTTPRoute, reader: Reader<Reads>): ObservedRoute {
  const home = route.metadata.namespace;
  const gateways = (route.spec.parentRefs ?? []).flatMap(({ namespace = home, name }) =>
    found(reader.get(Gateway, { namespace, name })),
  );
  const backends = (route.spec.rules ?? []).flatMap(({ backendRefs = [], filters = [] }) => [
    ...backendRefs,
    ...filters.flatMap(({ requestMirror }) => (requestMirror === undefined ? [] : [requestMirror.backendRef])),
  ]);
  const others = new Set(
    backends.flatMap(({ namespace }) => (namespace === undefined || namespace === home ? [] : [namespace])),
  );
  return {
    gateways,
    classes: gateways.flatMap(({ spec }) => found(reader.get(GatewayClass, { name: spec.gatewayClassName }))),
    namespaces: found(reader.get(Namespace, { name: home ?? "" })),
    services: backends.flatMap(({ namespace = home, name }) => found(reader.get(Service, { namespace, name }))),
    grants: [...others].flatMap((namespace) => reader.list(ReferenceGrant, { namespace })),
  };
}

const found = <T>(fact: Fact<T>): T[] => (fact.is === "known" ? [fact.value] : []);

function decide(
  route: HTTPRoute,
  observed: ObservedRoute,
  now: Instant,
  orphans: "adopt" | "leave",
): Decision<StatusOf<HTTPRoute>> {
  const live = route.status?.parents ?? [];
  const ours = attachRoute(route, attachmentWorld(observed, orphans));
  const resolved = resolveReferences(route, backendWorld(observed));
  const parents = [
    // What other controllers say is theirs, and the list is written as one.
    ...live.filter((parent) => parent.controllerName !== controllerName),
    ...ours.map((attachment) => parentOf(attachment, resolved, { route, live, now })),
  ];
  return { do: "hold", status: { parents } };
}

function backendWorld({ services, grants }: ObservedRoute): BackendWorld {
  return {
    service: ({ namespace, name }) =>
      services.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    grants: (namespace) => grants.filter(({ metadata }) => metadata.namespace === namespace),
  };
}

function parentOf(
  { parentRef, accepted }: Attachment,
  resolved: RouteCondition,
  { route, live, now }: { readonly route: HTTPRoute; readonly live: readonly Parent[]; readonly now: Instant },
): Parent {
  const before = live.find(
    (parent) => parent.controllerName === controllerName && deepEqual(parent.parentRef, parentRef),
  );
  const { generation } = route.metadata;
  const condition = (type: string, outcome: RouteCondition) => ({
    type,
    ...outcome,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  });
  const next = [condition("Accepted", accepted), condition("ResolvedRefs", resolved)];
  return {
    controllerName,
    parentRef,
    conditions: mergeConditions(before?.conditions as Condition[] | undefined, next, now),
  };
}
