import type { Event, EventEventsV1 } from "@trivium/kube";
import { type Traits, traits } from "../../traits.ts";
import { checkEvent } from "./check-event.ts";
import { checkStrictEvent } from "./check-strict-event.ts";
import { eventCells } from "./event-table.ts";
import { asCoreEvent, fromCoreEvent, toCoreEvent } from "./events-group.ts";

const ofObject = (path: string): string[] =>
  ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map((name) => `${path}.${name}`);

export const event = traits<Event>({
  validate: (object) => checkEvent(object, "reportingComponent"),
  defaults: (object) => writeTimes(object, ["eventTime", "firstTimestamp", "lastTimestamp"]),
  allowsCreateOnUpdate: true,
  selectableFields: [...ofObject("involvedObject"), "reason", "reportingComponent", "source", "type"],
  derivedFields: { source: ({ source, reportingComponent }) => source?.component || reportingComponent || "" },
  cells: eventCells,
});

/** The same events in the form of their own group, which asks more of those who write them. */
export const eventOfEventsGroup = traits<EventEventsV1>({
  storedAs: { group: "", version: "v1", fromStored: fromCoreEvent, toStored: toCoreEvent },
  validate: (object, old) => checkStrictEvent(asCoreEvent(object), old && asCoreEvent(old)),
  defaults: (object) => writeTimes(object, ["eventTime", "deprecatedFirstTimestamp", "deprecatedLastTimestamp"]),
  allowsCreateOnUpdate: true,
  selectableFields: [...ofObject("regarding"), "reason", "reportingController", "type"],
  cells: Object.fromEntries(
    Object.entries(eventCells).map(([column, cell]) => [column, (object, now) => cell(asCoreEvent(object), now)]),
  ) as NonNullable<Traits<EventEventsV1>["cells"]>,
});

/** Times of an event are written even when there is none. */
function writeTimes(object: Event | EventEventsV1, fields: readonly string[]): void {
  const times = object as unknown as Record<string, unknown>;
  for (const field of fields) times[field] ??= null;
  if (object.series) (object.series as { lastObservedTime: unknown }).lastObservedTime ??= null;
}
