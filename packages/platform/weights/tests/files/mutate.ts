// Changes bytes the way that finds bugs in parsers: lengths to extremes, pieces cut, repeated, moved, swapped between files.

/** Numbers from a seed, so that a finding can be found again. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

const extremes = [
  0n,
  1n,
  0x7fn,
  0xffn,
  0xffffn,
  0x7fffffffn,
  0xffffffffn,
  1n << 32n,
  1n << 40n,
  1n << 53n,
  1n << 63n,
  (1n << 64n) - 1n,
];

export function mutated(original: Uint8Array, other: Uint8Array, random: (below: number) => number): Uint8Array {
  let bytes: Uint8Array = original.slice();
  const times = 1 + random(4);
  for (let i = 0; i < times; i++) bytes = once(bytes, other, random);
  return bytes;
}

function once(bytes: Uint8Array, other: Uint8Array, random: (below: number) => number): Uint8Array {
  if (bytes.length < 16) return bytes;
  const at = random(bytes.length);
  switch (random(8)) {
    case 0:
      bytes[at] = random(256);
      return bytes;
    case 1:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
      return bytes;
    case 2:
    case 3: {
      const value = extremes[random(extremes.length)] ?? 0n;
      const where = Math.min(at, bytes.length - 8);
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      if (random(2) === 0) view.setBigUint64(where, value, random(4) > 0);
      else view.setUint32(where, Number(value & 0xffffffffn), random(4) > 0);
      return bytes;
    }
    case 4:
      return bytes.slice(0, at);
    case 5: {
      const end = Math.min(bytes.length, at + 1 + random(32));
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    }
    case 6:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + random(32)))]);
    default: {
      const from = random(other.length);
      const piece = other.subarray(from, from + 1 + random(64));
      bytes.set(piece.subarray(0, bytes.length - at), at);
      return bytes;
    }
  }
}
