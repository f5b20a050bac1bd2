import { lookup, promises } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { WeightsError } from "../../fault.ts";

/** Which addresses may be asked: any, those of the internet, or those and some more, named by host, address or network (CIDR). */
export type AddressRule = "any" | "public" | { readonly publicAnd: readonly string[] };

const notPublic = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  notPublic.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  notPublic.addSubnet(network, prefix, "ipv6");
}

/** IPv4 inside IPv6 is judged as what it is: `BlockList` maps it by itself. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !notPublic.check(address, family === 6 ? "ipv6" : "ipv4");
}

/** Judges where a request goes: a host that is an address at once, a name when it is looked up. */
export interface AddressGuard {
  allows(hostname: string): boolean;
  /**
   * Judges a host that a proxy will connect to: its addresses as they are known here, or by its name where it is not known
   * here. What the proxy itself makes of the name is not seen.
   */
  judge(hostname: string): Promise<boolean>;
  /** Refuses a name when any of its addresses is not allowed; the socket then uses the very answer that was judged. */
  readonly lookup: LookupFunction;
}

/** Nothing where every address may be asked. */
export function guardOf(rule: AddressRule): AddressGuard | undefined {
  if (rule === "any") return undefined;
  const { hosts, networks } = exceptionsOf(rule === "public" ? [] : rule.publicAnd);
  const isAllowed = (address: string): boolean =>
    isPublicAddress(address) || networks.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  const isNamed = (hostname: string): boolean => hosts.has(bareName(hostname));
  return {
    allows(hostname) {
      const bare = bareName(hostname);
      return isIP(bare) === 0 || isAllowed(bare);
    },
    async judge(hostname) {
      const bare = bareName(hostname);
      if (isNamed(bare)) return true;
      if (isIP(bare) !== 0) return isAllowed(bare);
      if (isInnerName(bare)) return false;
      const found = await promises.lookup(bare, { all: true }).catch(() => undefined);
      return found === undefined || found.every(({ address }) => isAllowed(address));
    },
    lookup(hostname, options, callback) {
      lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, "", 0);
        if (found.length === 0 || !(isNamed(hostname) || found.every(({ address }) => isAllowed(address)))) {
          const message = `${hostname}: its address is private or reserved, which is not allowed`;
          return callback(new WeightsError("not-allowed", "AddressNotAllowed", message), "", 0);
        }
        if (options.all === true) return callback(null, found);
        const [first] = found;
        callback(null, first?.address ?? "", first?.family ?? 4);
      });
    },
  };
}

const bareName = (hostname: string): string =>
  (hostname.startsWith("[") ? hostname.slice(1, -1) : hostname).toLowerCase().replace(/\.$/, "");

/** Names that only mean something inside: of this machine, of a cluster, of a cloud's own services. */
function isInnerName(name: string): boolean {
  return !name.includes(".") || /\.(?:localhost|local|internal|intranet|lan|home|corp|svc|arpa)$/.test(name);
}

function exceptionsOf(names: readonly string[]): { hosts: ReadonlySet<string>; networks: BlockList } {
  const hosts = new Set<string>();
  const networks = new BlockList();
  for (const name of names) {
    const [address = "", prefix] = name.split("/");
    const family = isIP(address);
    if (family === 0) hosts.add(name.toLowerCase());
    else networks.addSubnet(address, Number(prefix ?? (family === 6 ? 128 : 32)), family === 6 ? "ipv6" : "ipv4");
  }
  return { hosts, networks };
}

/** Whether a rule can be made of this: a host name, an address or a network. */
export function isAddressException(text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  if (prefix === undefined) return isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text);
  const most = isIP(address) === 6 ? 128 : 32;
  return more.length === 0 && isIP(address) !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= most;
}
