import type { api, Service } from "@trivium/kube";
import { type FieldError, invalid } from "@trivium/schema";
import { append } from "@trivium/std";
import { invalid as refuse } from "../../../refusals.ts";
import type { StrategyContext } from "../../../resource.ts";
import { checkIp } from "../../pod-template/check-spec.ts";

export const hasClusterIp = (spec: api.ServiceSpec): boolean => spec.type !== "ExternalName";
export const hasNodePorts = (spec: api.ServiceSpec): boolean =>
  spec.type === "NodePort" || spec.type === "LoadBalancer";

/** Gives a Service the addresses and ports it needs. What cannot be given is refused before anything is stored. */
export function allocate(service: Service, old: Service | undefined, context: StrategyContext): void {
  const { spec } = service;
  const faults = hasClusterIp(spec) ? allocateAddress(spec, old?.spec, context) : [];
  if (hasNodePorts(spec)) append(faults, allocatePorts(spec, old?.spec, context));
  if (needsHealthPort(spec) && !spec.healthCheckNodePort) {
    const given = old?.spec.healthCheckNodePort ?? chooseNodePort(spec, context);
    if (typeof given === "number") spec.healthCheckNodePort = given;
    else faults.push(given);
  }
  if (faults.length > 0) throw refuse({ group: "", kind: "Service" }, service.metadata.name ?? "", faults);
}

/** A balancer that sends only to nodes with a pod asks each node whether it has one. */
const needsHealthPort = ({ type, externalTrafficPolicy }: api.ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

function allocateAddress(
  spec: api.ServiceSpec,
  old: api.ServiceSpec | undefined,
  context: StrategyContext,
): FieldError[] {
  if (spec.clusterIP && (spec.clusterIPs ?? []).length === 0) spec.clusterIPs = [spec.clusterIP];
  const wanted = spec.clusterIPs?.[0];
  // What is no address, or not the one that clients know, is for validation to name.
  if (wanted !== undefined && wanted !== "None" && (wanted !== spec.clusterIP || checkIp("", wanted).length > 0))
    return [];
  const isHeadless = wanted === "None";
  const faults = chooseFamilies(spec, isHeadless);
  if (faults.length > 0 || isHeadless || (wanted !== undefined && wanted === old?.clusterIP)) return faults;
  const given = context.allocateClusterIp(wanted);
  if (typeof given !== "string") return [given];
  spec.clusterIP = given;
  spec.clusterIPs = [given];
  return [];
}

/** There is one family of addresses here; only a Service that has no address of its own may speak of the other. */
function chooseFamilies(spec: api.ServiceSpec, isHeadless: boolean): FieldError[] {
  const isOpen = isHeadless && spec.selector === undefined;
  spec.ipFamilyPolicy ??= isOpen ? "RequireDualStack" : "SingleStack";
  spec.ipFamilies ??= ["IPv4"];
  if (isOpen) {
    if (spec.ipFamilyPolicy !== "SingleStack" && spec.ipFamilies.length === 1) spec.ipFamilies = ["IPv4", "IPv6"];
    return [];
  }
  const other = spec.ipFamilies.indexOf("IPv6");
  if (other >= 0) return [invalid(`spec.ipFamilies[${other}]`, "IPv6", "not configured on this cluster")];
  if (spec.ipFamilyPolicy !== "RequireDualStack") return [];
  return [
    invalid("spec.ipFamilyPolicy", spec.ipFamilyPolicy, "this cluster is not configured for dual-stack services"),
  ];
}

function allocatePorts(
  spec: api.ServiceSpec,
  old: api.ServiceSpec | undefined,
  context: StrategyContext,
): FieldError[] {
  const held = new Set((old?.ports ?? []).map((port) => port.nodePort));
  const faults: FieldError[] = [];
  for (const port of spec.ports ?? []) {
    if (port.nodePort && held.has(port.nodePort)) continue;
    if (!port.nodePort && spec.allocateLoadBalancerNodePorts === false) continue;
    const given = port.nodePort ? context.allocateNodePort(port.nodePort) : chooseNodePort(spec, context);
    if (typeof given === "number") port.nodePort = given;
    else faults.push(given);
  }
  return faults;
}

/** A port that is chosen must not be one that another entry of the same Service requests. */
function chooseNodePort({ ports = [] }: api.ServiceSpec, context: StrategyContext): number | FieldError {
  const requested = new Set(ports.map(({ nodePort }) => nodePort));
  let given = context.allocateNodePort(undefined);
  for (let tries = requested.size; tries > 0 && typeof given === "number" && requested.has(given); tries -= 1)
    given = context.allocateNodePort(undefined);
  return given;
}
