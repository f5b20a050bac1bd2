/** Bytes that can be read anywhere: a file on a disk, a range of a server, a piece of memory. Headers are read through this. */
export interface ByteSource {
  /** For people; carries no credentials. */
  readonly shownAs: string;
  /** Undefined where a server does not say. */
  readonly size: number | undefined;
  /** How far to read ahead, first read first; the last one repeats. A far source takes few large steps. */
  readonly steps: readonly number[];
  /** More reads than this for one header are an attack on whoever pays for them. */
  readonly maxReads: number;
  /** The bytes from `offset`; fewer than `length` only at the end of the file. The caller must not write to them. */
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Bytes that are in memory already. */
export function memorySource(bytes: Uint8Array, shownAs = "bytes in memory"): ByteSource {
  return {
    shownAs,
    size: bytes.length,
    steps: [bytes.length],
    maxReads: 10_000,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
    close: async () => {},
  };
}
