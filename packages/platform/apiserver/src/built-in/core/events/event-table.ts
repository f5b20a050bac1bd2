import type { Event } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import { ageOf } from "../../table/age.ts";
import type { Traits } from "../../traits.ts";

export const eventCells: NonNullable<Traits<Event>["cells"]> = {
  "Last Seen": lastSeen,
  Type: ({ type }) => type ?? "",
  Reason: ({ reason }) => reason ?? "",
  Object: ({ involvedObject: { kind = "", name } }) => (name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase()),
  Subobject: ({ involvedObject }) => involvedObject.fieldPath ?? "",
  Source: sourceText,
  Message: ({ message }) => (message ?? "").trim(),
  "First Seen": firstSeen,
  Count: (event) => (event.series ? (event.series.count ?? 0) : event.count || 1),
  Name: ({ metadata }) => metadata.name ?? "",
};

function firstSeen(event: Event, now: Instant): string {
  return ageOf(event.firstTimestamp ?? event.eventTime, now);
}

function lastSeen(event: Event, now: Instant): string {
  if (event.series) return ageOf(event.series.lastObservedTime, now);
  return event.lastTimestamp ? ageOf(event.lastTimestamp, now) : firstSeen(event, now);
}

function sourceText({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || "";
  const host = source?.host || reportingInstance || "";
  return host === "" ? component : `${component}, ${host}`;
}
