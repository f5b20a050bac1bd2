import type { TrafficShare } from "@trivium/domain";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedRevision } from "../observed/workload.ts";
import type { ComponentName } from "../roles/component.ts";

type ComponentStatus = NonNullable<NonNullable<InferenceService["status"]>["components"]>[string];

/** Who gets which share of the requests. Without a canary, or before anything was rolled out, the latest gets all. */
export function shareTraffic(
  { metadata, status }: InferenceService,
  component: ComponentName,
  percent: number | undefined,
): TrafficShare[] {
  const tag = metadata.annotations?.["ome.io/enable-tag-routing"] === "true" ? { tag: "latest" } : {};
  const before = status?.components?.[component]?.latestRolledoutRevision;
  if (percent === undefined || before === undefined || before === "") return [{ percent: 100, ...tag }];
  const latest = { percent, ...tag };
  return percent === 100 ? [latest] : [latest, { revision: before, percent: 100 - percent, tag: "prev" }];
}

/** Which revision was the last that got everything, and which one before it. */
export function rolloutOf(
  { latestRolledoutRevision: latest, previousRolledoutRevision: previous }: ComponentStatus,
  { latestReady, latestCreated, traffic }: ObservedRevision,
): Pick<ComponentStatus, "latestRolledoutRevision" | "previousRolledoutRevision"> {
  const same = { ...named("latestRolledoutRevision", latest), ...named("previousRolledoutRevision", previous) };
  if (latestReady === undefined) return same;
  const share = traffic.find((one) => one.latestRevision === true && one.revisionName === latestReady);
  if (share === undefined) return same;
  if (share.percent === 100 && latestReady !== latest)
    return { latestRolledoutRevision: latestReady, ...named("previousRolledoutRevision", latest) };
  // It is tried out again although it had everything: whoever does that wants to go back.
  const total = traffic
    .filter(({ revisionName }) => revisionName === latestReady)
    .reduce((sum, { percent = 0 }) => sum + percent, 0);
  const isLatest = latestReady === latest && latestReady === latestCreated;
  if (isLatest && (share.percent ?? 0) < 100 && total === 100 && previous)
    return { ...same, latestRolledoutRevision: previous };
  return same;
}

const named = <K extends string>(key: K, value: string | undefined) =>
  (value === undefined || value === "" ? {} : { [key]: value }) as Partial<Record<K, string>>;
