import type { api, Service } from "@trivium/kube";
import { deepEqual } from "@trivium/std";
import { hasClusterIp, hasNodePorts } from "./allocate-service.ts";

/**
 * Makes sense of a Service that changed: an update that does not name what was allocated keeps it, and what only the old
 * type had goes, unless the writer changed it and so means it.
 */
export function settleChange(service: Service, old: Service): void {
  keepAllocated(service.spec, old.spec);
  dropByType(service.spec, old.spec);
  if (service.spec.type !== "LoadBalancer") service.status = { ...service.status, loadBalancer: {} };
}

function keepAllocated(spec: api.ServiceSpec, old: api.ServiceSpec): void {
  if (hasClusterIp(spec) && hasClusterIp(old) && old.clusterIP) {
    keepAddress(spec, old);
    spec.ipFamilies ??= old.ipFamilies;
    spec.ipFamilyPolicy ??= old.ipFamilyPolicy;
  }
  if (!hasNodePorts(spec) || !hasNodePorts(old)) return;
  const known = new Map((old.ports ?? []).map((port) => [portKey(port), port.nodePort]));
  for (const port of spec.ports ?? []) {
    const kept = known.get(portKey(port));
    if (!port.nodePort && kept) port.nodePort = kept;
  }
}

/** Of the two fields for an address, the one that was changed says what is meant. */
function keepAddress(spec: api.ServiceSpec, old: api.ServiceSpec): void {
  const isSaid = (spec.clusterIPs ?? []).length > 0;
  if (!spec.clusterIP) spec.clusterIP = old.clusterIP;
  if (!isSaid && spec.clusterIP === old.clusterIP) spec.clusterIPs = old.clusterIPs;
  if (spec.clusterIP && spec.clusterIP !== old.clusterIP && deepEqual(spec.clusterIPs, old.clusterIPs)) {
    spec.clusterIPs = [spec.clusterIP];
  }
}

const portKey = ({ protocol, port }: api.ServicePort): string => `${protocol ?? "TCP"}/${port}`;

function dropByType(spec: api.ServiceSpec, old: api.ServiceSpec): void {
  if (hasClusterIp(old) && !hasClusterIp(spec)) {
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const)
      dropSame(spec, old, field);
  }
  if (hasNodePorts(old) && !hasNodePorts(spec) && deepEqual(nodePortsOf(spec), nodePortsOf(old))) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    for (const field of ["allocateLoadBalancerNodePorts", "loadBalancerClass", "healthCheckNodePort"] as const)
      dropSame(spec, old, field);
  }
  if (isReachable(old) && !isReachable(spec)) dropSame(spec, old, "externalTrafficPolicy");
}

const nodePortsOf = (spec: api.ServiceSpec) => (spec.ports ?? []).map((port) => port.nodePort);
const isReachable = (spec: api.ServiceSpec): boolean =>
  spec.type === "NodePort" || spec.type === "LoadBalancer" || (spec.externalIPs ?? []).length > 0;

function dropSame(spec: api.ServiceSpec, old: api.ServiceSpec, field: keyof api.ServiceSpec): void {
  if (deepEqual(spec[field], old[field])) delete spec[field];
}
