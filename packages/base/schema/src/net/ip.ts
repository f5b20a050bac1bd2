/** An address of IPv4 or IPv6 as a number, with its width. */
export interface Ip {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

export interface Cidr {
  readonly ip: Ip;
  readonly length: number;
}

/** Reads an address without zone. Leading zeros in IPv4 are refused unless `sloppy`, as old Go versions read them. */
export function parseIp(text: string, sloppy?: "sloppy"): Ip | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text, sloppy);
}

function parseIpv4(text: string, sloppy?: "sloppy"): Ip | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    if (!/^\d{1,3}$/.test(part) || Number(part) > 255) return undefined;
    if (part.length > 1 && part.startsWith("0") && sloppy === undefined) return undefined;
    value = value * 256n + BigInt(part);
  }
  return { bits: 32, value };
}

function parseIpv6(text: string): Ip | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [left, right] = halves.map(groupsOf);
  if (left === undefined || (halves.length === 2 && right === undefined)) return undefined;
  const missing = 8 - left.length - (right?.length ?? 0);
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...Array<number>(missing).fill(0), ...(right ?? [])];
  return { bits: 128, value: groups.reduce((sum, group) => sum * 65536n + BigInt(group), 0n) };
}

/** The 16-bit groups of a part of an IPv6 address; its end may be written as IPv4. */
function groupsOf(text: string): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [index, part] of parts.entries()) {
    if (part.includes(".") && index === parts.length - 1) {
      const tail = parseIpv4(part);
      if (tail === undefined) return undefined;
      groups.push(Number(tail.value >> 16n), Number(tail.value & 0xffffn));
    } else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}

export function parseCidr(text: string, sloppy?: "sloppy"): Cidr | undefined {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(text);
  if (!match) return undefined;
  const ip = parseIp(match[1] as string, sloppy);
  const length = Number(match[2]);
  if (ip === undefined || length > ip.bits || String(length) !== match[2]) return undefined;
  return { ip, length };
}

export function maskIp({ ip, length }: Cidr): Ip {
  const free = BigInt(ip.bits - length);
  return { bits: ip.bits, value: (ip.value >> free) << free };
}

export function cidrContainsIp(cidr: Cidr, ip: Ip): boolean {
  return cidr.ip.bits === ip.bits && maskIp({ ip, length: cidr.length }).value === maskIp(cidr).value;
}

/** The shortest form, as Go's netip prints it. */
export function formatIp(ip: Ip): string {
  if (ip.bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (ip.value >> shift) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => Number((ip.value >> BigInt(112 - 16 * index)) & 0xffffn));
  const run = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (run.length < 2) return hex.join(":");
  return `${hex.slice(0, run.start).join(":")}::${hex.slice(run.start + run.length).join(":")}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}
