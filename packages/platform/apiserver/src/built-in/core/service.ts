import type { api, Service } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import { faultsOfDnsLabel } from "@trivium/std";
import { invalid } from "../../refusals.ts";
import type { StrategyContext } from "../../resource.ts";
import { checkIp } from "../pod-template/check-spec.ts";
import { balancerAddresses, formatLabels } from "../table/text.ts";
import { traits } from "../traits.ts";
import { checkService } from "./check-service.ts";
import { defaultService } from "./default-service.ts";

export const service = traits<Service>({
  defaults: defaultService,
  prepareForCreate: (object, context) => {
    object.status = { loadBalancer: {} };
    allocate(object, undefined, context);
  },
  prepareForUpdate: (object, old, context) => {
    keepAllocated(object.spec, old.spec);
    allocate(object, old, context);
  },
  validateName: faultsOfDnsLabel,
  validate: checkService,
  warnings: ({ spec }) =>
    (spec.externalIPs ?? []).length > 0
      ? ["spec.externalIPs is deprecated and may no longer be implemented in some clusters"]
      : [],
  selectableFields: ["spec.clusterIP", "spec.type"],
  cells: {
    Type: ({ spec }) => spec.type ?? "",
    "Cluster-IP": ({ spec }) => spec.clusterIPs?.[0] ?? "<none>",
    "External-IP": externalAddress,
    "Port(s)": ({ spec }) => (spec.ports ?? []).map(portText).join(",") || "<none>",
    Selector: ({ spec }) => formatLabels(spec.selector),
  },
});

function portText({ port, nodePort, protocol }: api.ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;
}

function externalAddress({ spec, status }: Service): string {
  if (spec.type === "ExternalName") return spec.externalName ?? "";
  const given = spec.externalIPs ?? [];
  if (spec.type !== "LoadBalancer") return given.join(",") || "<none>";
  const balancer = balancerAddresses(status?.loadBalancer?.ingress);
  return [...(balancer === "" ? [] : [balancer]), ...given].join(",") || "<pending>";
}

/** An update that does not name what was allocated keeps it, as long as the type still has such a thing. */
function keepAllocated(spec: api.ServiceSpec, old: api.ServiceSpec): void {
  if (hasClusterIp(spec) && hasClusterIp(old) && old.clusterIP) {
    if (!spec.clusterIP && (spec.clusterIPs ?? []).length === 0) {
      spec.clusterIP = old.clusterIP;
      spec.clusterIPs = old.clusterIPs;
    }
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

const portKey = ({ protocol, port }: api.ServicePort): string => `${protocol ?? "TCP"}/${port}`;
const hasClusterIp = (spec: api.ServiceSpec): boolean => spec.type !== "ExternalName";
const hasNodePorts = (spec: api.ServiceSpec): boolean =>
  spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false);

function allocate(service: Service, old: Service | undefined, context: StrategyContext): void {
  const { spec } = service;
  const faults: FieldError[] = [];
  if (hasClusterIp(spec)) allocateAddress(spec, old?.spec, context, faults);
  else dropAddress(spec);
  if (hasNodePorts(spec)) allocatePorts(spec, old?.spec, context, faults);
  if (faults.length > 0) throw invalid({ group: "", kind: "Service" }, service.metadata.name ?? "", faults);
}

function allocateAddress(
  spec: api.ServiceSpec,
  old: api.ServiceSpec | undefined,
  context: StrategyContext,
  faults: FieldError[],
): void {
  const wanted = spec.clusterIP || spec.clusterIPs?.[0];
  // What is no address at all is for validation to name.
  if (wanted !== undefined && wanted !== "None" && checkIp("", wanted).length > 0) {
    spec.clusterIPs = [wanted];
    return;
  }
  if (wanted !== "None" && (wanted === undefined || wanted !== old?.clusterIP)) {
    const given = context.allocateClusterIp(wanted);
    if (typeof given !== "string") {
      faults.push(given);
      return;
    }
    spec.clusterIP = given;
  } else {
    spec.clusterIP = wanted;
  }
  spec.clusterIPs = [spec.clusterIP];
  spec.ipFamilies ??= ["IPv4"];
  // A headless Service without selector may be given endpoints of either family by hand.
  spec.ipFamilyPolicy ??= wanted === "None" && spec.selector === undefined ? "RequireDualStack" : "SingleStack";
  if (spec.ipFamilyPolicy === "RequireDualStack" && wanted === "None" && spec.ipFamilies.length === 1) {
    spec.ipFamilies = ["IPv4", "IPv6"];
  }
}

function dropAddress(spec: api.ServiceSpec): void {
  delete spec.clusterIP;
  delete spec.clusterIPs;
  delete spec.ipFamilies;
  delete spec.ipFamilyPolicy;
}

function allocatePorts(
  spec: api.ServiceSpec,
  old: api.ServiceSpec | undefined,
  context: StrategyContext,
  faults: FieldError[],
): void {
  const held = new Set((old?.ports ?? []).map((port) => port.nodePort));
  for (const port of spec.ports ?? []) {
    if (port.nodePort && held.has(port.nodePort)) continue;
    const given = context.allocateNodePort(port.nodePort || undefined);
    if (typeof given === "number") port.nodePort = given;
    else faults.push(given);
  }
}
