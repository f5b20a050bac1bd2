import type { api, Container, Pod, Service, ServicePort } from "@trivium/kube";
import { isObject } from "@trivium/std";
import { isFinished, isReady, isTerminating } from "../pods/pod-state.ts";

export type AddressType = "IPv4" | "IPv6";
export type EndpointPort = api.EndpointPortDiscoveryV1;

/** Where a pod's ports really are, when the node could not give it an address of its own: `{"8080":41234}`. */
const portsAnnotation = "trivium.dev/ports";

/** Pods that are over, or have no address yet, are nobody's endpoint. */
export const canBeEndpoint = (pod: Pod): boolean => !isFinished(pod) && (pod.status?.podIPs ?? []).length > 0;

export function endpointOf(pod: Pod, service: Service, type: AddressType, zone: string | undefined): api.Endpoint {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const [serving, terminating] = [isReady(pod), isTerminating(pod)];
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameOf(pod, service);
  return {
    addresses: addressesOf(pod, type),
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec?.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(zone ? { zone } : {}),
  };
}

export function addressesOf({ status }: Pod, type: AddressType): string[] {
  return (status?.podIPs ?? []).map(({ ip }) => ip).filter((ip) => ip.includes(":") === (type === "IPv6"));
}

/** A pod that belongs to the service by its subdomain is found under its own name there. */
function hostnameOf({ spec }: Pod, { metadata }: Service): string | undefined {
  return spec?.hostname && spec.subdomain === metadata.name ? spec.hostname : undefined;
}

/** The ports of the service as they are on this pod. One whose name the pod does not know is left out. */
export function portsOf(pod: Pod, { spec }: Service): EndpointPort[] {
  const elsewhere = mappingOf(pod);
  return (spec?.ports ?? []).flatMap((wanted) => {
    const port = targetOf(pod, wanted);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = wanted;
    const found = { name, protocol, port: elsewhere[port] ?? port };
    return [appProtocol === undefined ? found : { ...found, appProtocol }];
  });
}

function targetOf({ spec }: Pod, { port, protocol = "TCP", targetPort }: ServicePort): number | undefined {
  if (typeof targetPort !== "string") return targetPort || port;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const named = [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports }: Container) => ports ?? []);
  return named.find((one) => one.name === targetPort && (one.protocol ?? "TCP") === protocol)?.containerPort;
}

function mappingOf({ metadata }: Pod): Readonly<Record<number, number>> {
  const text = metadata.annotations?.[portsAnnotation];
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return {};
    return Object.fromEntries(Object.entries(value).filter(([, port]) => typeof port === "number")) as Record<
      number,
      number
    >;
  } catch {
    // A person may have edited it; the ports of the spec are then the best guess.
    return {};
  }
}
