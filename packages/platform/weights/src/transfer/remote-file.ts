/** Half-open: `end` is the first byte that is not part of it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** `git-sha1` is the object id Git gives a file's bytes: SHA-1 over `blob <size>\0` and the content. */
export interface Digest {
  readonly algorithm: "sha256" | "git-sha1" | "md5";
  readonly hex: string;
}

/** A stretch of bytes as the other side gave it, which need not be the stretch that was asked for. */
export interface OpenedBytes {
  /** Where the first byte of `body` belongs. 0 when the whole file came instead of a range. */
  readonly start: number;
  /** The whole file's length, where the other side said it. */
  readonly total: number | undefined;
  /** Names the version of the file (a strong ETag, a modification time), where the other side said it. */
  readonly version: string | undefined;
  readonly protocol: string;
  readonly body: AsyncIterable<Uint8Array>;
  /** Told of each chunk that is written and will not be looked at again. */
  recycle?(chunk: Uint8Array): void;
  /** Lets go of the connection; safe at any time. */
  cancel(): void;
}

export interface OpenOptions {
  /** Absent: the whole file. */
  readonly range?: ByteRange;
  /** Only these bytes are wanted if the file is still this version. */
  readonly version?: string;
  readonly signal: AbortSignal;
}

/** How to read an archive and what of it is wanted. */
export interface Archive {
  readonly compression: "none" | "gzip" | "zstd";
  /** Only what lies under this folder, written with a slash at its end, is taken, and is named from there. Empty for everything. */
  readonly root: string;
  /** Only files whose name in the model matches one of these; empty means all. */
  readonly include: readonly string[];
}

/** One file somewhere else: everything the transfer needs to know of it, whatever the scheme. */
export interface RemoteFile {
  /** Where it belongs inside the model; relative, with forward slashes, checked to be safe. */
  readonly path: string;
  /** For people; carries no credentials. */
  readonly shownAs: string;
  readonly size?: number;
  /** The version a listing promised. */
  readonly version?: string;
  readonly digest?: Digest;
  /** Where it lies, for a file of this machine. */
  readonly place?: string;
  /** It is an archive, and the model is what lies in it. */
  readonly archive?: Archive;
  open(options: OpenOptions): Promise<OpenedBytes>;
  /** Looks again, after the file was seen to change. Absent where a listing is pinned and cannot change. */
  relist?(): Promise<RemoteFile>;
}
