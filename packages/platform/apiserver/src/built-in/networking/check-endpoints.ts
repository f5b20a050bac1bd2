import type { EndpointSlice, Endpoints } from "@trivium/kube";
import { type FieldError, invalid, required } from "@trivium/schema";
import { dnsLabel, immutable, oneOf, portNumber, requiredText, unique } from "../checks/values.ts";
import { checkIp, checkOrdinaryIp } from "../pod-template/check-spec.ts";

export function checkEndpointSlice(
  { addressType, endpoints, ports }: EndpointSlice,
  old?: EndpointSlice,
): FieldError[] {
  return [
    ...(addressType ? oneOf("addressType", addressType, ["FQDN", "IPv4", "IPv6"]) : [required("addressType")]),
    ...unique(
      ports ?? [],
      (port) => port.name ?? "",
      (index) => `ports[${index}].name`,
    ),
    ...(ports ?? []).flatMap(({ name }, index) => (name ? dnsLabel(`ports[${index}].name`, name) : [])),
    ...(ports ?? []).flatMap(({ protocol }, index) =>
      oneOf(`ports[${index}].protocol`, protocol, ["SCTP", "TCP", "UDP"]),
    ),
    ...(endpoints ?? []).flatMap(({ addresses = [] }, index) => {
      const at = `endpoints[${index}].addresses`;
      if (addresses.length === 0) return [required(at, "must contain at least 1 address")];
      return addressType === "FQDN"
        ? []
        : addresses.flatMap((ip, other) => checkSliceAddress(at, ip, other, addressType));
    }),
    ...(old === undefined ? [] : immutable("addressType", addressType, old.addressType)),
  ];
}

function checkSliceAddress(at: string, ip: string, index: number, family: string | undefined): FieldError[] {
  const faults = checkIp(`${at}[${index}]`, ip);
  if (faults.length > 0) return faults;
  const isOfFamily = ip.includes(":") === (family === "IPv6");
  return [
    ...(isOfFamily ? [] : [invalid(at, ip, `must be an ${family} address`)]),
    ...checkOrdinaryIp(`${at}[${index}]`, ip),
  ];
}

/** What is no address is found by two checks of a real server, and named by both. */
function checkAddress(at: string, ip: string): FieldError[] {
  const faults = checkIp(at, ip);
  if (faults.length > 0) return [...faults, invalid(at, ip, "must be a valid IP address")];
  return checkOrdinaryIp(at, ip);
}

export function checkEndpoints({ subsets }: Endpoints): FieldError[] {
  return (subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const at = `subsets[${index}]`;
    const isEmpty = addresses.length + notReadyAddresses.length === 0;
    return [
      ...(isEmpty ? [required(at, "must specify `addresses` or `notReadyAddresses`")] : []),
      ...addresses.flatMap(({ ip }, other) => checkAddress(`${at}.addresses[${other}].ip`, ip)),
      ...notReadyAddresses.flatMap(({ ip }, other) => checkAddress(`${at}.notReadyAddresses[${other}].ip`, ip)),
      ...ports.flatMap(({ name, port, protocol }, other) => [
        ...(ports.length > 1 ? requiredText(`${at}.ports[${other}].name`, name) : []),
        ...portNumber(`${at}.ports[${other}].port`, port),
        ...oneOf(`${at}.ports[${other}].protocol`, protocol, ["SCTP", "TCP", "UDP"]),
      ]),
    ];
  });
}
