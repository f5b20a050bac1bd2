import { type Attachment, attachRoute, isOurs, isServed, type RouteCondition } from "@trivium/engines";
import { type Condition, Gateway, GatewayClass, HTTPRoute, mergeConditions, Namespace } from "@trivium/kube";
import type { Decision, Reader, Reconciler, StatusOf } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { attachmentWorld, type ObservedGateways } from "./world.ts";

type Reads = typeof GatewayClass | typeof HTTPRoute | typeof Namespace;
type Listener = Gateway["spec"]["listeners"][number];
type ListenerStatus = NonNullable<NonNullable<Gateway["status"]>["listeners"]>[number];

interface ObservedGateway extends Omit<ObservedGateways, "gateways"> {
  readonly routes: readonly HTTPRoute[];
}

/** Says of each Gateway of ours where it is reached and how many routes each listener has. */
export function gatewayReconciler(address: string): Reconciler<Gateway, ObservedGateway, Reads> {
  return {
    name: "gateway.gateway",
    kind: Gateway,
    reads: [GatewayClass, HTTPRoute, Namespace],
    writes: [],
    observe,
    decide: (gateway, observed, now) => decide(gateway, observed, now, address),
  };
}

function observe(gateway: Gateway, reader: Reader<Reads>): ObservedGateway {
  const gatewayClass = reader.get(GatewayClass, { name: gateway.spec.gatewayClassName });
  return {
    classes: gatewayClass.is === "known" ? [gatewayClass.value] : [],
    routes: reader.list(HTTPRoute, {}),
    namespaces: reader.list(Namespace, {}),
  };
}

function decide(
  gateway: Gateway,
  observed: ObservedGateway,
  now: Instant,
  address: string,
): Decision<StatusOf<Gateway>> {
  const world = attachmentWorld({ ...observed, gateways: [gateway] }, "leave");
  // Another controller's Gateway keeps the status that it has.
  if (!isOurs(gateway, world)) return { do: "hold", status: gateway.status ?? {} };
  const attachments = observed.routes.map((route) =>
    attachRoute(route, world).filter(({ accepted }) => accepted.status === "True"),
  );
  const listeners = gateway.spec.listeners.map((listener) => listenerStatus(listener, gateway, attachments, now));
  const isValid = gateway.spec.listeners.some(isServed);
  const outcomes: Record<string, RouteCondition> = {
    Accepted: isValid
      ? { status: "True", reason: "Accepted", message: "Served by the Trivium gateway" }
      : {
          status: "False",
          reason: "ListenersNotValid",
          message: "No listener uses HTTP, the only supported protocol; add one",
        },
    Programmed: isValid
      ? { status: "True", reason: "Programmed", message: `Serving at ${address}` }
      : { status: "False", reason: "Invalid", message: "No valid listener" },
  };
  const type = /^[\d.]+$|:/.test(address) ? "IPAddress" : "Hostname";
  const conditions = Object.entries(outcomes).map(([name, outcome]) => ({
    type: name,
    ...outcome,
    lastTransitionTime: "",
  }));
  return { do: "hold", status: { addresses: [{ type, value: address }], conditions, listeners } };
}

function listenerStatus(
  listener: Listener,
  gateway: Gateway,
  attachments: readonly (readonly Attachment[])[],
  now: Instant,
): ListenerStatus {
  const isHttp = isServed(listener);
  const attachedRoutes = attachments.filter((parents) =>
    parents.some(({ listeners }) => listeners.includes(listener.name)),
  ).length;
  const before = gateway.status?.listeners?.find(({ name }) => name === listener.name)?.conditions;
  const { generation } = gateway.metadata;
  const outcome = (type: string, isGood: boolean, good: string, bad: string, message: string) => ({
    type,
    status: isGood ? ("True" as const) : ("False" as const),
    reason: isGood ? good : bad,
    message: isGood ? "" : message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  });
  const unsupported = `Protocol ${listener.protocol} is not supported; use HTTP`;
  const next = [
    outcome("Accepted", isHttp, "Accepted", "UnsupportedProtocol", unsupported),
    outcome("Programmed", isHttp, "Programmed", "Invalid", unsupported),
    outcome("ResolvedRefs", true, "ResolvedRefs", "", ""),
    outcome("Conflicted", false, "", "NoConflicts", ""),
  ];
  return {
    name: listener.name,
    attachedRoutes,
    supportedKinds: isHttp ? [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute" }] : [],
    conditions: mergeConditions(before as Condition[] | undefined, next, now),
  };
}
