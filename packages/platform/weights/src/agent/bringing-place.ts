import type { Millis } from "@trivium/std";
import type { Progress } from "../transfer/meter.ts";
import type { ArtifactManagerOptions } from "./artifact-manager-options.ts";
import { updatingOf } from "./artifact-report.ts";
import type { BringingPlace } from "./keep-artifact.ts";
import type { Lifecycle } from "./lifecycle.ts";

export type BringingContext = Pick<BringingPlace, "client" | "folder" | "environment" | "signal">;
type Reporting = Pick<ArtifactManagerOptions, "store" | "now" | "onReport" | "onEvent"> &
  Pick<BringingPlace, "inventory">;

const progressEvery: Millis = 5_000;

/** Where the files of a download are stored, and who is informed of its progress: reports at intervals, events for every byte. */
export function placeFor(lifecycle: Lifecycle, reporting: Reporting, context: BringingContext): BringingPlace {
  const { key } = lifecycle.wanted;
  const { store, inventory, now, onReport, onEvent } = reporting;
  let reported = Number.NEGATIVE_INFINITY;
  let counted: number | undefined;
  const onProgress = ({ bytes, total = 0, rate }: Progress): void => {
    const at = now();
    // What an earlier run left is in the first report, and was not received now.
    if (counted !== undefined && bytes > counted) onEvent?.({ is: "received", key, bytes: bytes - counted });
    counted = bytes;
    if (at - reported < progressEvery || context.signal.aborted) return;
    reported = at;
    onReport(updatingOf(lifecycle, { progress: { bytes, total, rate, at } }));
  };
  const onListed: BringingPlace["onListed"] = (files) => {
    lifecycle.listed = files;
  };
  const onEvicted: BringingPlace["onEvicted"] = ({ sources, freedBytes }) =>
    onEvent?.({ is: "evicted", key, sources, bytes: freedBytes });
  return { store, inventory, onListed, onProgress, onEvicted, ...context };
}
