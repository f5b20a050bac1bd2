import type { api, Service } from "@trivium/kube";
import { duplicate, type FieldError, forbidden, invalid, required } from "@trivium/schema";
import { append } from "@trivium/std";
import { checkLabels } from "../../checks/labels.ts";
import {
  between,
  dnsLabel,
  dnsSubdomain,
  oneOf,
  portNumber,
  portNumberOrName,
  qualifiedName,
  requiredText,
  unique,
} from "../../checks/values.ts";
import { checkCidr } from "../../networking/check.ts";
import { checkIp, checkOrdinaryIp } from "../../pod-template/check-spec.ts";

const isHeadless = ({ clusterIPs, clusterIP }: api.ServiceSpec): boolean => (clusterIPs?.[0] ?? clusterIP) === "None";

export function checkService({ spec }: Service, old?: Service): FieldError[] {
  const ports = spec.ports ?? [];
  const needsPorts = ports.length === 0 && !isHeadless(spec) && spec.type !== "ExternalName";
  return [
    ...(old === undefined ? [] : checkAddressKept(spec, old.spec)),
    ...(needsPorts ? [required("spec.ports")] : []),
    ...checkType(spec),
    ...checkPorts(ports),
    ...checkLabels("spec.selector", spec.selector),
    ...oneOf("spec.sessionAffinity", spec.sessionAffinity, ["ClientIP", "None"]),
    ...checkAffinity(spec),
    ...checkAddresses(spec),
    ...(spec.externalIPs ?? []).flatMap((ip, index) => [
      ...checkIp(`spec.externalIPs[${index}]`, ip),
      ...checkOrdinaryIp(`spec.externalIPs[${index}]`, ip),
    ]),
    ...oneOf("spec.type", spec.type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]),
    ...checkNodePorts(spec, ports),
    ...checkBalancer(spec),
    ...checkTraffic(spec),
  ];
}

function checkType(spec: api.ServiceSpec): FieldError[] {
  if ((spec.type === "LoadBalancer" || spec.type === "NodePort") && isHeadless(spec)) {
    return [invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${spec.type} services`)];
  }
  if (spec.type !== "ExternalName") return [];
  const isSet = { ...spec, clusterIPs: spec.clusterIP ? [spec.clusterIP] : spec.clusterIPs };
  const given = (["clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const).filter(
    (field) => (isSet[field]?.length ?? 0) > 0,
  );
  const faults = given.map((field) => forbidden(`spec.${field}`, "may not be set for ExternalName services"));
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  return [...faults, ...(name === "" ? [required("spec.externalName")] : dnsSubdomain("spec.externalName", name))];
}

function checkPorts(ports: readonly api.ServicePort[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const faults = ports.length > 1 ? requiredText(`${at}.name`, port.name) : [];
    if (port.name) {
      append(faults, dnsLabel(`${at}.name`, port.name));
      if (names.has(port.name)) faults.push(duplicate(`${at}.name`, port.name));
      names.add(port.name);
    }
    return [
      ...faults,
      ...portNumber(`${at}.port`, port.port),
      ...oneOf(`${at}.protocol`, port.protocol, ["SCTP", "TCP", "UDP"]),
      ...(port.appProtocol === undefined ? [] : qualifiedName(`${at}.appProtocol`, port.appProtocol)),
      ...(port.targetPort === undefined ? [] : portNumberOrName(`${at}.targetPort`, port.targetPort)),
    ];
  });
}

function checkAffinity({ sessionAffinity, sessionAffinityConfig }: api.ServiceSpec): FieldError[] {
  const at = "spec.sessionAffinityConfig";
  if (sessionAffinity !== "ClientIP") return [];
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const day = 86400;
  return between(`${at}.clientIP.timeoutSeconds`, timeout, [1, day]).map((fault) => ({
    ...fault,
    detail: `must be greater than 0 and less than ${day}`,
  }));
}

function checkAddresses({
  type,
  clusterIP,
  clusterIPs = [],
  ipFamilies = [],
  ipFamilyPolicy,
}: api.ServiceSpec): FieldError[] {
  if (type === "ExternalName") return [];
  const faults: FieldError[] = [];
  if (!clusterIP && clusterIPs.length > 0) {
    faults.push(invalid("spec.clusterIPs", [...clusterIPs], "must be empty when `clusterIP` is not specified"));
  }
  if (clusterIP && clusterIPs.length > 0 && clusterIPs[0] !== clusterIP) {
    faults.push(invalid("spec.clusterIPs", [...clusterIPs], "first value must match `clusterIP`"));
  }
  if (clusterIPs[0] === "None" && clusterIPs.length > 1) {
    faults.push(invalid("spec.clusterIPs", [...clusterIPs], "'None' must be the first and only value"));
  } else if (clusterIPs.length > 1) {
    faults.push(invalid("spec.clusterIPs", [...clusterIPs], "may specify no more than one IP for each IP family"));
  }
  return [
    ...faults,
    ...unique(
      ipFamilies,
      (family) => family,
      (index) => `spec.ipFamilies[${index}]`,
    ),
    ...ipFamilies.flatMap((family, index) => oneOf(`spec.ipFamilies[${index}]`, family, ["IPv4", "IPv6"])),
    ...oneOf("spec.ipFamilyPolicy", ipFamilyPolicy, ["PreferDualStack", "RequireDualStack", "SingleStack"]),
    ...clusterIPs.flatMap((ip, index) =>
      index === 0 && ip === "None" ? [] : checkIp(`spec.clusterIPs[${index}]`, ip),
    ),
  ];
}

function checkNodePorts({ type }: api.ServiceSpec, ports: readonly api.ServicePort[]): FieldError[] {
  const taken = new Set<string>();
  const opened = new Set<string>();
  const faults: FieldError[] = [];
  for (const [index, { nodePort, protocol, port }] of ports.entries()) {
    const at = `spec.ports[${index}]`;
    if (nodePort && type === "ClusterIP")
      faults.push(forbidden(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
    if (nodePort && taken.has(`${protocol}/${nodePort}`)) faults.push(duplicate(`${at}.nodePort`, nodePort));
    taken.add(`${protocol}/${nodePort}`);
    if (opened.has(`${protocol}/${port}`)) faults.push(duplicate(at, { port, protocol: protocol ?? "TCP" }));
    opened.add(`${protocol}/${port}`);
  }
  return faults;
}

function checkBalancer(spec: api.ServiceSpec): FieldError[] {
  if (spec.type === "LoadBalancer") {
    return (spec.loadBalancerSourceRanges ?? []).flatMap((range, index) =>
      checkCidr(`spec.LoadBalancerSourceRanges[${index}]`, range.trim()),
    );
  }
  const only = "may only be used when `type` is 'LoadBalancer'";
  return [
    ...((spec.loadBalancerSourceRanges ?? []).length > 0 ? [forbidden("spec.LoadBalancerSourceRanges", only)] : []),
    ...(spec.allocateLoadBalancerNodePorts === undefined
      ? []
      : [forbidden("spec.allocateLoadBalancerNodePorts", only)]),
    ...(spec.loadBalancerClass === undefined ? [] : [forbidden("spec.loadBalancerClass", only)]),
  ];
}

function checkTraffic(spec: api.ServiceSpec): FieldError[] {
  const isOutside = spec.type === "NodePort" || spec.type === "LoadBalancer" || (spec.externalIPs ?? []).length > 0;
  const { externalTrafficPolicy } = spec;
  const misplaced = externalTrafficPolicy !== undefined && !isOutside;
  return [
    ...(misplaced
      ? [
          invalid(
            "spec.externalTrafficPolicy",
            externalTrafficPolicy,
            "may only be set for externally-accessible services",
          ),
        ]
      : []),
    ...(misplaced ? [] : oneOf("spec.externalTrafficPolicy", externalTrafficPolicy, ["Cluster", "Local"])),
    ...oneOf("spec.internalTrafficPolicy", spec.internalTrafficPolicy, ["Cluster", "Local"]),
    ...oneOf("spec.trafficDistribution", spec.trafficDistribution, ["PreferClose", "PreferSameZone", "PreferSameNode"]),
  ];
}

/** A balancer reports addresses. */
export function checkServiceStatus({ status }: Service): FieldError[] {
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, index) =>
    ip ? checkIp(`status.loadBalancer.ingress[${index}].ip`, ip) : [],
  );
}

/** The address of a Service is what its clients know; it does not change. */
function checkAddressKept(spec: api.ServiceSpec, old: api.ServiceSpec): FieldError[] {
  if (spec.type === "ExternalName" || old.type === "ExternalName") return [];
  const before = old.clusterIPs?.[0];
  const now = spec.clusterIPs?.[0];
  // Two fields that disagree are a fault of their own.
  if (before === undefined || before === now || (spec.clusterIP && now && spec.clusterIP !== now)) return [];
  return [
    invalid(
      "spec.clusterIPs[0]",
      [...(spec.clusterIPs ?? [])],
      now === undefined ? "primary clusterIP can not be unset" : "may not change once set",
    ),
  ];
}
