import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { WeightsError } from "../fault.ts";

export type AddressRule = "any" | "public";

const notPublic = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const) {
  notPublic.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::", 127],
  ["64:ff9b::", 96],
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

/** A host that is an address is judged at once; a name is judged when it is looked up. */
export function isLiteralAllowed(hostname: string): boolean {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 || isPublicAddress(bare);
}

/** Looks a name up and refuses when any of its addresses is not public; the socket then uses the very answer that was judged. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, "", 0);
    const bad = found.find(({ address }) => !isPublicAddress(address));
    if (bad !== undefined || found.length === 0) {
      const message = `${hostname}: its address is not public`;
      return callback(new WeightsError("not-allowed", "AddressNotAllowed", message), "", 0);
    }
    if (options.all === true) return callback(null, found);
    const [first] = found;
    callback(null, first?.address ?? "", first?.family ?? 4);
  });
};
