import type { Progress } from "../transfer/meter.ts";
import type { RemoteFile } from "../transfer/remote-file.ts";

/** Adds up the progress of a model's files; forward only, like that of each. */
export class ModelProgress {
  readonly #total: number | undefined;
  readonly #latest = new Map<string, Progress>();
  readonly #tell: (progress: Progress) => void;

  constructor(files: readonly RemoteFile[], tell: (progress: Progress) => void) {
    const sizes = files.map(({ size }) => size);
    this.#total = sizes.some((size) => size === undefined)
      ? undefined
      : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    this.#tell = tell;
  }

  readonly ofFile = (progress: Progress): void => {
    this.#latest.set(progress.file, progress);
    this.#tell(this.#sum(progress));
  };

  /** A file is there, fetched or not. */
  done(file: string, size: number): void {
    const before = this.#latest.get(file);
    if (before?.bytes === size && before.total === size) return;
    const progress = {
      file,
      bytes: size,
      total: size,
      rate: 0,
      etaSeconds: 0,
      attempt: before?.attempt ?? 1,
      protocol: before?.protocol,
    };
    this.ofFile(progress);
  }

  #sum(newest: Progress): Progress {
    let [bytes, rate, attempt] = [0, 0, 1];
    for (const each of this.#latest.values()) {
      bytes += each.bytes;
      rate += each.rate;
      attempt = Math.max(attempt, each.attempt);
    }
    const left = this.#total === undefined ? undefined : Math.max(0, this.#total - bytes);
    const etaSeconds =
      left === undefined || (left > 0 && rate < 1) ? undefined : left === 0 ? 0 : Math.ceil(left / rate);
    return { ...newest, bytes, total: this.#total, rate, etaSeconds, attempt };
  }
}
