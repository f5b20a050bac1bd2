import { type Gateway, type GatewayClass, type HTTPRoute, matchesLabels, type Ref, selectorOf } from "@trivium/kube";
import { isHostOf } from "./match-route.ts";
import { faultOfRoute } from "./route-faults.ts";

export type ParentReference = NonNullable<HTTPRoute["spec"]["parentRefs"]>[number];
type Listener = Gateway["spec"]["listeners"][number];

/** What must be known of the world to say where a route is attached. */
export interface AttachmentWorld {
  /** Which GatewayClasses are ours. */
  readonly controllerName: string;
  /** Whether routes whose Gateway does not exist are served all the same, as on a machine without other gateways. */
  readonly orphans: "adopt" | "leave";
  gateway(ref: Ref): Gateway | undefined;
  gatewayClass(name: string): GatewayClass | undefined;
  namespaceLabels(name: string): Readonly<Record<string, string>> | undefined;
}

export interface RouteCondition {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/** One parent of a route that is ours to answer for. */
export interface Attachment {
  readonly parentRef: ParentReference;
  readonly accepted: RouteCondition;
  /** Names of the listeners that took the route. */
  readonly listeners: readonly string[];
  /** Hosts that the route is reached by through this parent; `undefined` in it is any host. */
  readonly hostnames: readonly (string | undefined)[];
}

const gatewayGroup = "gateway.networking.k8s.io";

/** The parents of a route that belong to us, each with its verdict. Those of other controllers are left out. */
export function attachRoute(route: HTTPRoute, world: AttachmentWorld): Attachment[] {
  return (route.spec.parentRefs ?? []).flatMap((parentRef) => {
    if ((parentRef.group ?? gatewayGroup) !== gatewayGroup || (parentRef.kind ?? "Gateway") !== "Gateway") return [];
    const namespace = parentRef.namespace ?? route.metadata.namespace;
    const gateway = world.gateway({ namespace, name: parentRef.name });
    if (gateway === undefined)
      return world.orphans === "adopt" ? [adopt(route, parentRef, `${namespace}/${parentRef.name}`)] : [];
    return isOurs(gateway, world) ? [attachTo(route, parentRef, gateway, world)] : [];
  });
}

export function isOurs(gateway: Gateway, world: Pick<AttachmentWorld, "controllerName" | "gatewayClass">): boolean {
  return world.gatewayClass(gateway.spec.gatewayClassName)?.spec.controllerName === world.controllerName;
}

function refused(parentRef: ParentReference, reason: string, message: string): Attachment {
  return { parentRef, accepted: { status: "False", reason, message }, listeners: [], hostnames: [] };
}

function adopt(route: HTTPRoute, parentRef: ParentReference, name: string): Attachment {
  const fault = faultOfRoute(route);
  if (fault !== undefined) return refused(parentRef, "UnsupportedValue", fault);
  const message = `Gateway ${name} not found; the route is served at the address of this machine`;
  const accepted: RouteCondition = { status: "True", reason: "Accepted", message };
  return { parentRef, accepted, listeners: [], hostnames: hostnamesOf(route) };
}

function attachTo(route: HTTPRoute, parentRef: ParentReference, gateway: Gateway, world: AttachmentWorld): Attachment {
  const refuse = (reason: string, message: string): Attachment => refused(parentRef, reason, message);
  const name = `${gateway.metadata.namespace}/${gateway.metadata.name}`;
  const fault = faultOfRoute(route);
  if (fault !== undefined) return refuse("UnsupportedValue", fault);
  const named = gateway.spec.listeners.filter((listener) => isNamedBy(parentRef, listener) && isServed(listener));
  if (named.length === 0) {
    return refuse("NoMatchingParent", `Gateway ${name} has no HTTP listener that matches the reference`);
  }
  const allowing = named.filter((listener) => allows(listener, gateway, route, world));
  if (allowing.length === 0) {
    return refuse(
      "NotAllowedByListeners",
      `No listener of Gateway ${name} allows HTTPRoutes of namespace ${route.metadata.namespace}`,
    );
  }
  const taking = allowing.map((listener) => ({
    listener,
    hostnames: commonHostnames(listener.hostname, hostnamesOf(route)),
  }));
  const taken = taking.filter(({ hostnames }) => hostnames.length > 0);
  if (taken.length === 0) {
    return refuse("NoMatchingListenerHostname", `No hostname of the route matches a listener of Gateway ${name}`);
  }
  return {
    parentRef,
    accepted: { status: "True", reason: "Accepted", message: `Route is accepted by Gateway ${name}` },
    listeners: taken.map(({ listener }) => listener.name),
    hostnames: [...new Set(taken.flatMap(({ hostnames }) => hostnames))],
  };
}

function isNamedBy(parentRef: ParentReference, listener: Listener): boolean {
  const { sectionName, port } = parentRef;
  return (sectionName === undefined || sectionName === listener.name) && (port === undefined || port === listener.port);
}

export const isServed = (listener: Listener): boolean => listener.protocol === "HTTP";

function allows(listener: Listener, gateway: Gateway, route: HTTPRoute, world: AttachmentWorld): boolean {
  const kinds = listener.allowedRoutes?.kinds ?? [];
  const isKindAllowed =
    kinds.length === 0 ||
    kinds.some(({ group, kind }) => (group ?? gatewayGroup) === gatewayGroup && kind === "HTTPRoute");
  return isKindAllowed && allowsNamespace(listener, gateway, route.metadata.namespace ?? "", world);
}

function allowsNamespace(listener: Listener, gateway: Gateway, namespace: string, world: AttachmentWorld): boolean {
  const { from = "Same", selector } = listener.allowedRoutes?.namespaces ?? {};
  switch (from) {
    case "All":
      return true;
    case "Selector": {
      const labels = world.namespaceLabels(namespace);
      return selector !== undefined && labels !== undefined && matchesLabels(selectorOf(selector), labels);
    }
    default:
      return namespace === gateway.metadata.namespace;
  }
}

function hostnamesOf(route: HTTPRoute): readonly (string | undefined)[] {
  const { hostnames = [] } = route.spec;
  return hostnames.length === 0 ? [undefined] : hostnames;
}

/** Where a listener and a route name hosts, requests must fit both: the narrower of two that overlap. */
export function commonHostnames(
  listener: string | undefined,
  route: readonly (string | undefined)[],
): (string | undefined)[] {
  if (listener === undefined || listener === "") return [...route];
  return route.flatMap((hostname) => {
    if (hostname === undefined || isWithin(listener, hostname)) return [listener];
    return isWithin(hostname, listener) ? [hostname] : [];
  });
}

/** Whether every host that `inner` stands for is one that `outer` stands for. */
function isWithin(inner: string, outer: string): boolean {
  if (inner.toLowerCase() === outer.toLowerCase()) return true;
  return outer.startsWith("*.") && isHostOf(outer, inner.toLowerCase().replace(/^\*\./, "x."));
}
