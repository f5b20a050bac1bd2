import type { api, Event } from "@trivium/kube";
import { type FieldError, invalid, required } from "@trivium/schema";
import { deepEqual, type Json } from "@trivium/std";
import { checkEvent } from "./check-event.ts";

/** What `events.k8s.io` asks of an event, given in the form of the core group: all of the newer form, nothing of the older. */
export function checkStrictEvent(event: Event, old?: Event): FieldError[] {
  const faults = checkEvent(event, "reportingController");
  return [...faults, ...(old === undefined ? checkNew(event) : checkChange(event, old))];
}

function checkNew(event: Event): FieldError[] {
  const { type = "", source } = event;
  const unset = (field: string, value: unknown) => (value ? [invalid(field, "", "needs to be unset")] : []);
  return [
    ...checkSeries(event),
    ...(event.eventTime ? [] : [required("eventTime")]),
    ...(type === "Normal" || type === "Warning" ? [] : [invalid("type", "", `has invalid value: ${type}`)]),
    ...unset("firstTimestamp", event.firstTimestamp),
    ...unset("lastTimestamp", event.lastTimestamp),
    ...unset("count", event.count),
    ...unset("source", source?.component || source?.host),
  ];
}

function checkSeries({ series }: Event): FieldError[] {
  if (!series) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid("series.count", "", "should be at least 2")] : []),
    ...(series.lastObservedTime ? [] : [required("series.lastObservedTime")]),
  ];
}

/** Only the series of an event may change. */
function checkChange(event: Event, old: Event): FieldError[] {
  const isOther = (field: keyof Event) => !deepEqual(event[field] ?? null, old[field] ?? null);
  const fixed = (field: keyof Event, value: Json, name: string = field): FieldError[] =>
    isOther(field) ? [invalid(name, value, "field is immutable")] : [];
  return [
    ...(isOther("series") ? checkSeries(event) : []),
    ...fixed("involvedObject", referenceText(event.involvedObject)),
    ...fixed("reason", event.reason ?? ""),
    ...fixed("message", event.message ?? ""),
    ...fixed("source", { Component: event.source?.component ?? "", Host: event.source?.host ?? "" }),
    ...fixed("firstTimestamp", event.firstTimestamp ?? null),
    ...fixed("lastTimestamp", event.lastTimestamp ?? null),
    ...fixed("count", event.count ?? 0),
    ...fixed("type", event.type ?? ""),
    ...fixed("eventTime", event.eventTime ?? null),
    ...fixed("action", event.action ?? ""),
    ...fixed("related", event.related ? referenceText(event.related) : null),
    ...fixed("reportingComponent", event.reportingComponent ?? "", "reportingController"),
    ...fixed("reportingInstance", event.reportingInstance ?? ""),
  ];
}

/** A reference as the real server shows it in messages: under the names of its own fields. */
const referenceText = (reference: api.ObjectReference): Json => ({
  Kind: reference.kind ?? "",
  Namespace: reference.namespace ?? "",
  Name: reference.name ?? "",
  UID: reference.uid ?? "",
  APIVersion: reference.apiVersion ?? "",
  ResourceVersion: reference.resourceVersion ?? "",
  FieldPath: reference.fieldPath ?? "",
});
