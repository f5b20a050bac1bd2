import type { api, Ingress, IngressClass, NetworkPolicy } from "@trivium/kube";
import { type FieldError, forbidden, invalid, notSupported, required } from "@trivium/schema";
import { append, faultsOfDnsLabel, faultsOfDnsSubdomain } from "@trivium/std";
import { faultsOfPathSegment } from "../access/check.ts";
import { checkSelector } from "../checks/labels.ts";
import {
  faultsOfPortName,
  immutable,
  invalidFor,
  oneOf,
  portNumber,
  portNumberOrName,
  requiredText,
} from "../checks/values.ts";
import { checkIp } from "../pod-template/check-spec.ts";

export function checkIngress({ spec }: Ingress): FieldError[] {
  const rules = spec.rules ?? [];
  const nothing = rules.length === 0 && spec.defaultBackend === undefined;
  return [
    ...(nothing ? [invalid("spec", null, "either `defaultBackend` or `rules` must be specified")] : []),
    ...(spec.defaultBackend ? checkBackend("spec.defaultBackend", spec.defaultBackend) : []),
    ...rules.flatMap((rule, index) => checkRule(`spec.rules[${index}]`, rule)),
    ...(spec.tls ?? []).flatMap(({ hosts, secretName }, index) => [
      ...(hosts ?? []).flatMap((host, other) =>
        invalidFor(`spec.tls[${index}].hosts[${other}]`, host, faultsOfHost(host)),
      ),
      ...(secretName ? invalidFor(`spec.tls[${index}].secretName`, secretName, faultsOfDnsSubdomain(secretName)) : []),
    ]),
    ...(spec.ingressClassName === undefined
      ? []
      : invalidFor("spec.ingressClassName", spec.ingressClassName, faultsOfDnsSubdomain(spec.ingressClassName))),
  ];
}

const wildcardForm =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function faultsOfHost(host: string): string[] {
  if (!host.includes("*")) return faultsOfDnsSubdomain(host);
  return host.startsWith("*.") && faultsOfDnsSubdomain(host.slice(2)).length === 0 ? [] : [wildcardForm];
}

function checkRule(at: string, { host, http }: api.IngressRule): FieldError[] {
  const isAddress = host !== undefined && checkIp("", host).length === 0;
  const faults = [
    ...(isAddress ? [invalid(`${at}.host`, host, "must be a DNS name, not an IP address")] : []),
    ...(host ? invalidFor(`${at}.host`, host, faultsOfHost(host)) : []),
  ];
  if (http === undefined) return faults;
  const paths = http.paths ?? [];
  return [
    ...faults,
    ...(paths.length === 0 ? [required(`${at}.http.paths`)] : []),
    ...paths.flatMap((path, index) => checkPath(`${at}.http.paths[${index}]`, path)),
  ];
}

const forbiddenInPath = ["//", "/./", "/../", "%2f", "%2F"];
const forbiddenAtEnd = ["/..", "/."];

function checkPath(at: string, { path = "", pathType, backend }: api.HTTPIngressPath): FieldError[] {
  if (!pathType) return [required(`${at}.pathType`, "pathType must be specified")];
  const types = ["Exact", "ImplementationSpecific", "Prefix"];
  if (!types.includes(pathType))
    return [notSupported(`${at}.pathType`, pathType, types), ...checkBackend(`${at}.backend`, backend)];
  const isFree = pathType === "ImplementationSpecific";
  const details = [
    ...(path.startsWith("/") || (isFree && path === "") ? [] : ["must be an absolute path"]),
    ...(isFree
      ? []
      : forbiddenInPath.filter((part) => path.includes(part)).map((part) => `must not contain '${part}'`)),
    ...(isFree ? [] : forbiddenAtEnd.filter((part) => path.endsWith(part)).map((part) => `cannot end with '${part}'`)),
  ];
  return [...invalidFor(`${at}.path`, path, details), ...checkBackend(`${at}.backend`, backend)];
}

function checkBackend(at: string, { service, resource }: api.IngressBackend): FieldError[] {
  if (service && resource) return [invalid(at, "", "cannot set both resource and service backends")];
  if (resource)
    return [
      ...requiredText(`${at}.resource.kind`, resource.kind),
      ...requiredText(`${at}.resource.name`, resource.name),
    ];
  if (!service) return [invalid(at, "", "resource or service backend is required")];
  const { name, port } = service;
  return [
    ...(name ? invalidFor(`${at}.service.name`, name, faultsOfDnsLabel(name)) : [required(`${at}.service.name`)]),
    ...checkBackendPort(at, port),
  ];
}

function checkBackendPort(at: string, port: api.ServiceBackendPort | undefined): FieldError[] {
  if (port?.name && port.number) return [invalid(at, "", "cannot set both port name & port number")];
  if (port?.name) return invalidFor(`${at}.service.port.name`, port.name, faultsOfPortName(port.name));
  if (port?.number) return portNumber(`${at}.service.port.number`, port.number);
  return [required(at, "port name or number is required")];
}

export function checkNetworkPolicy({ spec }: NetworkPolicy): FieldError[] {
  return [
    ...checkSelector("spec.podSelector", spec.podSelector),
    ...(spec.ingress ?? []).flatMap(({ ports, from }, index) =>
      checkPolicyRule(`spec.ingress[${index}]`, ports, { from }),
    ),
    ...(spec.egress ?? []).flatMap(({ ports, to }, index) => checkPolicyRule(`spec.egress[${index}]`, ports, { to })),
    ...checkPolicyTypes("spec.policyTypes", spec.policyTypes ?? []),
  ];
}

function checkPolicyTypes(at: string, given: readonly string[]): FieldError[] {
  if (given.length > 2) return [invalid(at, [...given], "may not specify more than two policyTypes")];
  return given.flatMap((type, index) => oneOf(`${at}[${index}]`, type, ["Ingress", "Egress"]));
}

function checkPolicyRule(
  at: string,
  ports: readonly api.NetworkPolicyPort[] | undefined,
  peers: Readonly<Record<string, readonly api.NetworkPolicyPeer[] | undefined>>,
): FieldError[] {
  return [
    ...(ports ?? []).flatMap((port, index) => checkPolicyPort(`${at}.ports[${index}]`, port)),
    ...Object.entries(peers).flatMap(([side, list]) =>
      (list ?? []).flatMap((peer, index) => checkPeer(`${at}.${side}[${index}]`, peer)),
    ),
  ];
}

function checkPolicyPort(at: string, { port, endPort, protocol }: api.NetworkPolicyPort): FieldError[] {
  const faults = oneOf(`${at}.protocol`, protocol, ["TCP", "UDP", "SCTP"]);
  if (port !== undefined) append(faults, portNumberOrName(`${at}.port`, port));
  if (endPort === undefined) return faults;
  if (port === undefined)
    return [...faults, invalid(`${at}.endPort`, endPort, "may not be specified when `port` is not specified")];
  if (typeof port === "string")
    return [...faults, invalid(`${at}.endPort`, endPort, "may not be specified when `port` is non-numeric")];
  return endPort < port
    ? [...faults, invalid(`${at}.endPort`, port, "must be greater than or equal to `port`")]
    : faults;
}

function checkPeer(at: string, { podSelector, namespaceSelector, ipBlock }: api.NetworkPolicyPeer): FieldError[] {
  const faults = [
    ...checkSelector(`${at}.podSelector`, podSelector),
    ...checkSelector(`${at}.namespaceSelector`, namespaceSelector),
    ...(ipBlock ? checkCidr(`${at}.ipBlock.cidr`, ipBlock.cidr) : []),
  ];
  if (!podSelector && !namespaceSelector && !ipBlock) faults.push(required(at, "must specify a peer"));
  if (ipBlock && (podSelector || namespaceSelector))
    faults.push(forbidden(at, "may not specify both ipBlock and another peer"));
  return faults;
}

export function checkCidr(at: string, text: string): FieldError[] {
  if (!text) return [required(at)];
  const [ip = "", bits, ...rest] = text.split("/");
  const isGood = rest.length === 0 && bits !== undefined && /^\d{1,3}$/.test(bits) && checkIp("", ip).length === 0;
  return isGood ? [] : [invalid(at, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")];
}

export function checkIngressClass({ spec }: IngressClass, old?: IngressClass): FieldError[] {
  const at = "spec.controller";
  const controller = spec?.controller ?? "";
  const [domain = "", ...path] = controller.split("/");
  const isPath = path.join("/") !== "" && faultsOfDnsSubdomain(domain).length === 0;
  const form = 'must be a domain-prefixed path (such as "acme.io/foo")';
  return [
    ...(controller === "" ? [required(at)] : isPath ? [] : [invalid(at, controller, form)]),
    ...(spec?.parameters ? checkParameters("spec.parameters", spec.parameters) : []),
    ...(old === undefined ? [] : immutable(at, controller, old.spec?.controller ?? "")),
  ];
}

function checkParameters(
  at: string,
  { apiGroup, kind, name, scope, namespace }: api.IngressClassParametersReference,
): FieldError[] {
  return [
    ...(apiGroup === undefined ? [] : invalidFor(`${at}.apiGroup`, apiGroup, faultsOfDnsSubdomain(apiGroup))),
    ...requiredText(`${at}.kind`, kind),
    ...invalidFor(`${at}.kind`, kind, faultsOfPathSegment(kind)),
    ...requiredText(`${at}.name`, name),
    ...invalidFor(`${at}.name`, name, faultsOfPathSegment(name)),
    ...oneOf(`${at}.scope`, scope, ["Cluster", "Namespace"]),
    ...(scope === "Namespace" && namespace === undefined
      ? [required(`${at}.namespace`, "`parameters.scope` is set to 'Namespace'")]
      : []),
    ...(scope === "Cluster" && namespace !== undefined
      ? [forbidden(`${at}.namespace`, "`parameters.scope` is set to 'Cluster'")]
      : []),
  ];
}
