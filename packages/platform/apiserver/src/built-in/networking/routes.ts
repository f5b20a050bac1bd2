import type { api, EndpointSlice, Ingress, IngressClass, NetworkPolicy } from "@trivium/kube";
import { balancerAddresses, firstFew, selectorOrNone } from "../table/text.ts";
import { traits } from "../traits.ts";
import { checkIngress, checkIngressClass, checkNetworkPolicy } from "./check.ts";
import { checkEndpointSlice } from "./check-endpoints.ts";

export const ingress = traits<Ingress>({
  validate: checkIngress,
  hasGeneration: true,
  prepareForCreate: (object) => {
    object.status = { loadBalancer: {} };
  },
  cells: {
    Class: ({ spec }) => spec.ingressClassName ?? "<none>",
    Hosts: ({ spec }) => hostsText(spec.rules ?? []),
    Address: ({ status }) => balancerAddresses(status?.loadBalancer?.ingress),
    Ports: ({ spec }) => ((spec.tls?.length ?? 0) > 0 ? "80, 443" : "80"),
  },
});

function hostsText(rules: readonly api.IngressRule[]): string {
  const named = rules.map((rule) => rule.host ?? "").filter((host) => host !== "");
  if (named.length === 0) return "*";
  const shown = named.slice(0, 3).join(",");
  return named.length > 3 ? `${shown} + ${rules.length - 3} more...` : shown;
}

export const ingressClass = traits<IngressClass>({
  validate: checkIngressClass,
  hasGeneration: true,
  defaults: ({ spec }) => {
    if (spec?.parameters) spec.parameters.scope ??= "Cluster";
  },
  cells: {
    Name: ({ metadata }) => nameWithDefault(metadata, "ingressclass.kubernetes.io/is-default-class"),
    Controller: ({ spec }) => spec?.controller ?? "",
    Parameters: ({ spec }) => parametersText(spec?.parameters),
  },
});

/** Names of classes say in tables which one is taken when nobody chooses. */
export function nameWithDefault(metadata: api.ObjectMeta, annotation: string): string {
  const name = metadata.name ?? "";
  return metadata.annotations?.[annotation] === "true" ? `${name} (default)` : name;
}

function parametersText(parameters: api.IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return "<none>";
  const group = parameters.apiGroup === undefined ? "" : `.${parameters.apiGroup}`;
  return `${parameters.kind}${group}/${parameters.name}`;
}

export const networkPolicy = traits<NetworkPolicy>({
  validate: checkNetworkPolicy,
  hasGeneration: true,
  defaults: ({ spec }) => {
    spec.podSelector ??= {};
    spec.policyTypes ??= (spec.egress?.length ?? 0) > 0 ? ["Ingress", "Egress"] : ["Ingress"];
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      for (const port of rule.ports ?? []) port.protocol ??= "TCP";
    }
  },
  cells: { "Pod-Selector": ({ spec }) => selectorOrNone(spec.podSelector) },
});

export const endpointSlice = traits<EndpointSlice>({
  validate: checkEndpointSlice,
  hasGeneration: true,
  defaults: ({ ports }) => {
    for (const port of ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  cells: {
    AddressType: ({ addressType }) => addressType,
    Ports: ({ ports }) => firstFewOrUnset((ports ?? []).map((port) => String(port.port ?? port.name ?? "*"))),
    Endpoints: ({ endpoints }) => firstFewOrUnset((endpoints ?? []).flatMap((endpoint) => endpoint.addresses)),
  },
});

const firstFewOrUnset = (items: readonly string[]): string => (items.length === 0 ? "<unset>" : firstFew(items, 3));
