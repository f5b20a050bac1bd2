/** A block of IPv4 addresses, such as 10.96.0.0/16. Of it the first and the last are no addresses, and the second is the API server's own. */
export type ServiceNetwork = `${number}.${number}.${number}.${number}/${number}`;

export const defaultNetwork: ServiceNetwork = "10.96.0.0/16";

/** The block, taken apart: the number of its first address, and how many there are. */
export interface AddressBlock {
  readonly base: number;
  readonly size: number;
}

export function blockOfNetwork(network: ServiceNetwork): AddressBlock {
  const [start = "", bits] = network.split("/");
  const [length, first] = [Number(bits), numberOfAddress(start)];
  if (first === undefined || !(length >= 8 && length <= 30))
    throw new Error(`"${network}" is not a valid IPv4 block (expected e.g. ${defaultNetwork})`);
  const size = 2 ** (32 - length);
  return { base: first - (first % size), size };
}

export function isInside({ base, size }: AddressBlock, address: string): boolean {
  const number = numberOfAddress(address);
  return number !== undefined && number >= base && number < base + size;
}

export const addressOfNumber = (number: number): string =>
  [number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255].join(".");

function numberOfAddress(text: string): number | undefined {
  const parts = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
}
