import { dirname } from "node:path";
import { stoppedFault, WeightsError } from "../fault.ts";
import { asFault } from "./http/patience.ts";
import { Meter } from "./meter.ts";
import { DigestFollower, type FoundDigests } from "./parts/digest-follower.ts";
import { checkSpace, makeFolder } from "./parts/disk.ts";
import { PartFile } from "./parts/part-file.ts";
import { fetchRanged } from "./ranged.ts";
import type { RemoteFile } from "./remote-file.ts";
import { TransferRun } from "./run.ts";
import { type TransferSettings, transferSettings } from "./settings.ts";
import { fetchWhole } from "./whole.ts";

export interface DownloadReport {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
  /** What identified the version that was fetched, which may be newer than the one asked for. */
  readonly version: string | null;
  /** Bytes that were there from an earlier run. */
  readonly resumed: number;
  /** Bytes that came over the wire in this one. */
  readonly fetched: number;
}

/** How often a file may change under our hands before we say that it does not hold still. */
const maxStarts = 4;

/** Brings one file to `destination`, whole and verified, or says why not and keeps what can be used again. */
export async function download(
  file: RemoteFile,
  destination: string,
  given: Partial<TransferSettings> = {},
): Promise<DownloadReport> {
  const settings = transferSettings(given);
  await makeFolder(dirname(destination));
  const meter = new Meter(file.path, 0, performance.now());
  const timer = setInterval(() => settings.onProgress(meter.read(performance.now())), settings.progressEveryMs);
  try {
    let current = file;
    for (let start = 1; ; start++) {
      const outcome = await tryOnce(current, destination, { settings, meter });
      if (outcome.is === "done") {
        settings.onProgress(meter.read(performance.now()));
        return outcome.report;
      }
      if (start >= maxStarts) throw outcome.why;
      meter.attempt++;
      current = outcome.why.reason === "UpstreamChanged" ? await relist(current, outcome.why) : current;
    }
  } catch (error) {
    if (settings.signal.aborted) throw stoppedFault();
    throw asFault(error);
  } finally {
    clearInterval(timer);
  }
}

type Outcome = { is: "done"; report: DownloadReport } | { is: "start-over"; why: WeightsError };

interface Context {
  readonly settings: TransferSettings;
  readonly meter: Meter;
}

async function tryOnce(file: RemoteFile, destination: string, context: Context): Promise<Outcome> {
  const { settings, meter } = context;
  settings.signal.throwIfAborted();
  const version = file.version ?? (file.digest === undefined ? null : `${file.digest.algorithm}:${file.digest.hex}`);
  const part = await PartFile.open(destination, { version, total: file.size ?? null });
  const follower = new DigestFollower({ path: part.path, total: file.size, algorithm: file.digest?.algorithm });
  const resumed = part.ranges.size;
  const fetchedBefore = meter.fetched;
  let isSettled = false;
  try {
    if (file.size !== undefined) await checkSpace(dirname(destination), file.size - resumed);
    meter.total = file.size;
    meter.have(resumed);
    const size = await fetchAll(new TransferRun(file, settings, { part, meter, follower }));
    const found = await follower.finish(size);
    const mismatch = mismatchOf(file, size, found);
    isSettled = true;
    if (mismatch === undefined) {
      await part.publish(destination);
      const report = {
        path: destination,
        size,
        sha256: found.sha256,
        version,
        resumed,
        fetched: meter.fetched - fetchedBefore,
      };
      return { is: "done", report };
    }
    if (resumed === 0 && settings.mismatched === "kept" && mismatch.reason === "DigestMismatch") {
      await part.publish(destination);
      const { kind, reason, message } = mismatch;
      throw new WeightsError(kind, reason, message, { found: { path: destination, size, sha256: found.sha256 } });
    }
    await part.discard();
    // Bytes of an earlier run are under suspicion; if all came from this one, the source itself is at fault.
    if (resumed > 0) return { is: "start-over", why: mismatch };
    throw mismatch;
  } catch (error) {
    if (!(error instanceof WeightsError) || error.reason !== "UpstreamChanged") throw error;
    isSettled = true;
    await part.discard();
    return { is: "start-over", why: error };
  } finally {
    await follower.stop();
    if (!isSettled) await part.close();
  }
}

async function fetchAll(run: TransferRun): Promise<number> {
  const total = run.file.size;
  // Parallel ranges of a file that nothing identifies could mix two versions unseen.
  const isIdentified = run.file.version !== undefined || run.file.digest !== undefined;
  if (total === undefined || !isIdentified) return fetchWhole(run, total);
  try {
    await fetchRanged(run, total);
    return total;
  } catch (error) {
    if (!(error instanceof WeightsError) || error.reason !== "RangesRefused") throw error;
    return fetchWhole(run, total);
  }
}

/** A changed file is listed anew, so that length, version and digest are those of one and the same thing. */
async function relist(file: RemoteFile, why: WeightsError): Promise<RemoteFile> {
  if (file.relist !== undefined) return file.relist();
  throw why;
}

function mismatchOf(file: RemoteFile, size: number, found: FoundDigests): WeightsError | undefined {
  if (file.size !== undefined && file.size !== size) {
    return new WeightsError("mismatch", "SizeMismatch", `${file.shownAs}: expected ${file.size} bytes, found ${size}`);
  }
  if (file.digest === undefined) return undefined;
  const { algorithm, hex } = file.digest;
  const actual = algorithm === "sha256" ? found.sha256 : found.other;
  if (actual === undefined || actual === hex.toLowerCase()) return undefined;
  return digestMismatch(file.shownAs, { algorithm, expected: hex, actual });
}

export function digestMismatch(
  shownAs: string,
  { algorithm, expected, actual }: { algorithm: string; expected: string; actual: string },
): WeightsError {
  const message = `${shownAs}: expected ${algorithm} ${expected}, found ${actual}; check the source and the expected digest`;
  return new WeightsError("mismatch", "DigestMismatch", message);
}
