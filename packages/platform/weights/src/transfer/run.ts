import { WeightsError } from "../fault.ts";
import type { Meter } from "./meter.ts";
import type { DigestFollower } from "./parts/digest-follower.ts";
import type { PartFile } from "./parts/part-file.ts";
import type { OpenedBytes, OpenOptions, RemoteFile } from "./remote-file.ts";
import type { TransferSettings } from "./settings.ts";

/** One try at one version of one file: what the two ways of fetching share. */
export class TransferRun {
  readonly file: RemoteFile;
  readonly part: PartFile;
  readonly meter: Meter;
  readonly settings: TransferSettings;
  readonly #follower: DigestFollower;

  constructor(file: RemoteFile, settings: TransferSettings, parts: RunParts) {
    this.file = file;
    this.settings = settings;
    this.part = parts.part;
    this.meter = parts.meter;
    this.#follower = parts.follower;
  }

  /** Opens the file and makes sure that it is still the one that was listed. */
  async open(options: OpenOptions): Promise<OpenedBytes> {
    const { file } = this;
    const opened = await file.open(file.version === undefined ? options : { ...options, version: file.version });
    this.meter.protocol = opened.protocol;
    const change = changeOf(file, opened);
    if (change === undefined) return opened;
    opened.cancel();
    throw new WeightsError("unreachable", "UpstreamChanged", `${file.shownAs}: ${change} during the download`);
  }

  /** Keeps count and digest up to date, then tells the caller too. */
  written(also: (bytes: number) => void): (bytes: number) => void {
    return (bytes) => {
      this.meter.have(this.part.ranges.size);
      this.#follower.advance(this.part.ranges.frontier);
      also(bytes);
    };
  }
}

export interface RunParts {
  readonly part: PartFile;
  readonly meter: Meter;
  readonly follower: DigestFollower;
}

function changeOf(file: RemoteFile, opened: OpenedBytes): string | undefined {
  if (file.size !== undefined && opened.total !== undefined && opened.total !== file.size) {
    return `the length changed from ${file.size} to ${opened.total}`;
  }
  if (file.version !== undefined && opened.version !== undefined && opened.version !== file.version) {
    return `the version changed from ${file.version} to ${opened.version}`;
  }
  return undefined;
}
