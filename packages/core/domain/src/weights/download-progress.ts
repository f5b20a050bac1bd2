/** How far a download is. Only what was reported is there: no total without a size, no time left without a rate. */
export interface DownloadProgress {
  readonly files?: { readonly done: number; readonly total: number } | undefined;
  readonly bytesDone: number;
  readonly bytesTotal?: number | undefined;
  /** Whole percent of the bytes, rounded down. */
  readonly percent?: number | undefined;
  readonly bytesPerSecond?: number | undefined;
  readonly secondsLeft?: number | undefined;
}
