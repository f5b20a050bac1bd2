import type { Event } from "@trivium/kube";
import { traits } from "../traits.ts";
import { checkEvent } from "./check-event.ts";
import { eventCells } from "./event-table.ts";

export const event = traits<Event>({
  validate: checkEvent,
  allowsCreateOnUpdate: true,
  selectableFields: [
    ...["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"].map(
      (name) => `involvedObject.${name}`,
    ),
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  cells: eventCells,
});
