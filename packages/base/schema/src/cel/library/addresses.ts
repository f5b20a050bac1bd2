import { type Cidr, cidrContainsIp, formatIp, type Ip, maskIp, parseCidr, parseIp } from "../../net/ip.ts";
import { CelError, NoOverload, Opaque } from "../values.ts";
import { named, type Overload, overload } from "./signature.ts";

/** IPv4 written as IPv6 is refused: the same address would have two forms. */
function strictIp(text: string): Ip | undefined {
  const ip = parseIp(text);
  return ip?.bits === 128 && ip.value >> 32n === 0xffffn ? undefined : ip;
}

function ipOf(text: string): Ip {
  const ip = strictIp(text);
  if (ip === undefined)
    throw new CelError(`IP Address "${text.slice(0, 64)}" parse error during conversion from string`);
  return ip;
}

function cidrOf(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === undefined)
    throw new CelError(`network address parse error during conversion from string: "${text.slice(0, 64)}"`);
  return cidr;
}

const ip = (value: Opaque) => value.content as Ip;
const cidr = (value: Opaque) => value.content as Cidr;
const wrapIp = (value: Ip) => new Opaque("net.IP", value);
const wrapCidr = (value: Cidr) => new Opaque("net.CIDR", value);

const within = (text: string) => {
  const network = cidrOf(text);
  return (value: Ip) => cidrContainsIp(network, value);
};
const isOneOf =
  (...networks: string[]) =>
  (value: Opaque) =>
    networks.map(within).some((holds) => holds(ip(value)));

const isLoopback = isOneOf("127.0.0.0/8", "::1/128");
const isUnspecified = isOneOf("0.0.0.0/32", "::/128");
const isLinkLocalMulticast = isOneOf("224.0.0.0/24", "ff02::/16");
const isLinkLocalUnicast = isOneOf("169.254.0.0/16", "fe80::/10");
const isMulticast = isOneOf("224.0.0.0/4", "ff00::/8");
const isBroadcast = isOneOf("255.255.255.255/32");

const containsCidr = (outer: Cidr, inner: Cidr) => outer.length <= inner.length && cidrContainsIp(outer, inner.ip);

/** The text of an address that is none counts as an argument of the wrong type. */
function orNoOverload<T>(value: T | undefined): T {
  if (value === undefined) throw new NoOverload();
  return value;
}

export const addresses: readonly Overload[] = [
  overload("ip(string): IP", (text: string) => wrapIp(ipOf(text))),
  overload("isIP(string): bool", (text: string) => strictIp(text) !== undefined),
  named("ip.isCanonical", "(string): bool", (text: string) => formatIp(ipOf(text)) === text),
  overload("IP.family(): int", (value: Opaque) => (ip(value).bits === 32 ? 4n : 6n)),
  overload("IP.isUnspecified(): bool", isUnspecified),
  overload("IP.isLoopback(): bool", isLoopback),
  overload("IP.isLinkLocalMulticast(): bool", isLinkLocalMulticast),
  overload("IP.isLinkLocalUnicast(): bool", isLinkLocalUnicast),
  overload("IP.isGlobalUnicast(): bool", (value: Opaque) => {
    return ![isLoopback, isUnspecified, isLinkLocalUnicast, isMulticast, isBroadcast].some((is) => is(value));
  }),
  overload("string(IP): string", (value: Opaque) => formatIp(ip(value))),
  overload("cidr(string): CIDR", (text: string) => wrapCidr(cidrOf(text))),
  overload("isCIDR(string): bool", (text: string) => parseCidr(text) !== undefined),
  overload("CIDR.ip(): IP", (value: Opaque) => wrapIp(cidr(value).ip)),
  overload("CIDR.masked(): CIDR", (value: Opaque) => wrapCidr({ ip: maskIp(cidr(value)), length: cidr(value).length })),
  overload("CIDR.prefixLength(): int", (value: Opaque) => BigInt(cidr(value).length)),
  overload("CIDR.containsIP(IP): bool", (value: Opaque, inner: Opaque) => cidrContainsIp(cidr(value), ip(inner))),
  overload("CIDR.containsIP(string): bool", (value: Opaque, inner: string) =>
    cidrContainsIp(cidr(value), orNoOverload(strictIp(inner))),
  ),
  overload("CIDR.containsCIDR(CIDR): bool", (value: Opaque, inner: Opaque) => containsCidr(cidr(value), cidr(inner))),
  overload("CIDR.containsCIDR(string): bool", (value: Opaque, inner: string) =>
    containsCidr(cidr(value), orNoOverload(parseCidr(inner))),
  ),
  overload("string(CIDR): string", (value: Opaque) => `${formatIp(cidr(value).ip)}/${cidr(value).length}`),
];
