import { sha256Hex } from "@trivium/std";

/**
 * A part of 127.128.0.0/9 for the Services of one home: 4,094 addresses, one part of 2,048. Two homes on one machine most likely get different ones,
 * so that neither answers for the other.
 */
export function serviceNetworkOf(home: string): `${number}.${number}.${number}.${number}/${number}` {
  const part = Number.parseInt(sha256Hex(home).slice(0, 8), 16) % 2_048;
  return `127.${128 + (part >> 4)}.${(part & 15) << 4}.0/20`;
}
