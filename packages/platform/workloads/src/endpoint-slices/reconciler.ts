import { EndpointSlice, Node, Pod, Service } from "@trivium/kube";
import type { Desired, Reconciler } from "@trivium/reconcile";
import { canonicalJson } from "@trivium/std";
import { byName } from "../pods/claim.ts";
import { podName } from "../pods/pod-name.ts";
import { type AddressType, addressesOf, canBeEndpoint, endpointOf, portsOf } from "./endpoint.ts";
import { type FilledSlice, fillSlices, type PortGroup } from "./fill-slices.ts";

export interface ObservedEndpointSlices {
  /** Pods of the service that have an address. */
  readonly pods: readonly Pod[];
  /** The zone of each node that is there; empty where it has none. */
  readonly zones: Readonly<Record<string, string>>;
  readonly slices: readonly EndpointSlice[];
}

/** Says where the pods of a Service can be reached. */
export const endpointSliceReconciler: Reconciler<
  Service,
  ObservedEndpointSlices,
  typeof Pod | typeof Node | typeof EndpointSlice
> = {
  name: "endpoint-slice-controller",
  kind: Service,
  hasPlainConditions: true,
  reads: [Pod, Node],
  writes: [EndpointSlice],
  observe(service, reader) {
    const { namespace, uid = "" } = service.metadata;
    const labels = service.spec?.selector;
    const pods = labels === undefined ? [] : reader.list(Pod, { namespace, labels }).filter(canBeEndpoint);
    const zones: Record<string, string> = {};
    for (const name of new Set(pods.map(({ spec }) => spec?.nodeName ?? ""))) {
      const node = name === "" ? undefined : reader.get(Node, { name });
      if (node?.is === "known") zones[name] = node.value.metadata.labels?.["topology.kubernetes.io/zone"] ?? "";
    }
    return { pods, zones, slices: reader.list(EndpointSlice, { namespace, owner: uid }) };
  },
  decide(service, observed) {
    const status = service.status ?? {};
    // Endpoints of a service that selects nothing are somebody else's to write.
    const isManaged = service.spec?.selector !== undefined && service.spec.type !== "ExternalName";
    if (!isManaged) return { do: "hold", status };
    const children = typesOf(service).flatMap((type) => slicesOf(service, observed, type));
    return { do: "converge", children, status };
  },
};

function typesOf({ spec }: Service): readonly AddressType[] {
  const families = spec?.ipFamilies ?? [];
  return families.length === 0 ? ["IPv4"] : (families as AddressType[]);
}

function slicesOf(service: Service, { pods, zones, slices }: ObservedEndpointSlices, type: AddressType): Desired[] {
  const { name = "", uid = "" } = service.metadata;
  const filling = { service: name, uid, type, slices };
  const groups = groupsOf(service, pods.toSorted(byName), zones, type);
  const filled = groups.flatMap((group) => fillSlices(group, filling));
  const empty: FilledSlice = { name: podName(name, `${uid} ${type} empty`), ports: [], endpoints: [] };
  return (filled.length === 0 ? [empty] : filled).map((slice) => sliceOf(service, type, slice));
}

/** A pod on a node that nobody knows is left out, unless the service wants pods that are not ready, too. */
function groupsOf(
  service: Service,
  pods: readonly Pod[],
  zones: ObservedEndpointSlices["zones"],
  type: AddressType,
): readonly PortGroup[] {
  const groups = new Map<string, { ports: ReturnType<typeof portsOf>; endpoints: ReturnType<typeof endpointOf>[] }>();
  for (const pod of pods) {
    const zone = zones[pod.spec?.nodeName ?? ""];
    const isKnown = zone !== undefined || service.spec?.publishNotReadyAddresses === true;
    if (!isKnown || addressesOf(pod, type).length === 0) continue;
    const ports = portsOf(pod, service);
    const key = canonicalJson(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    group.endpoints.push(endpointOf(pod, service, type, zone));
    groups.set(key, group);
  }
  return [...groups.values()];
}

const reserved = [
  "kubernetes.io/service-name",
  "endpointslice.kubernetes.io/managed-by",
  "service.kubernetes.io/headless",
];

function sliceOf(service: Service, type: AddressType, { name, ports, endpoints }: FilledSlice): Desired<EndpointSlice> {
  const { clusterIP } = service.spec ?? {};
  const isHeadless = !clusterIP || clusterIP === "None";
  const inherited = Object.entries(service.metadata.labels ?? {}).filter(([key]) => !reserved.includes(key));
  const labels = {
    ...Object.fromEntries(inherited),
    ...(isHeadless ? { "service.kubernetes.io/headless": "" } : {}),
    "kubernetes.io/service-name": service.metadata.name ?? "",
    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
  };
  return {
    kind: EndpointSlice,
    object: {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name, labels },
      addressType: type,
      endpoints: [...endpoints],
      ports: [...ports],
    },
  };
}
