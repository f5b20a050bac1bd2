import type { Event } from "@trivium/kube";
import { type FieldError, invalid, required } from "@trivium/schema";
import { qualifiedName } from "../../checks/values.ts";

/** The name that the reporting controller has in the form in which the event came. */
export type ReporterField = "reportingComponent" | "reportingController";

/** An event lives beside what it is about; events about things without a namespace live in `default`. */
export function checkEvent(event: Event, reporter: ReporterField): FieldError[] {
  const { namespace = "" } = event.metadata;
  const about = event.involvedObject.namespace ?? "";
  // The mark of the newer form.
  const isNew = Boolean(event.eventTime);
  const missingNamespace =
    about === "" && namespace !== "" && namespace !== "default" && !(isNew && namespace === "kube-system");
  const elsewhere = about !== "" && about !== namespace && !isNew;
  return [
    ...(missingNamespace || elsewhere
      ? [invalid("involvedObject.namespace", about, "does not match event.namespace")]
      : []),
    ...(isNew ? checkNewForm(event, reporter) : []),
  ];
}

function checkNewForm(event: Event, reporter: ReporterField): FieldError[] {
  const { reportingComponent = "" } = event;
  return [
    ...(reportingComponent === "" ? [required(reporter)] : []),
    ...qualifiedName(reporter, reportingComponent),
    ...checkText("reportingInstance", event.reportingInstance, 128),
    ...checkText("action", event.action, 128),
    ...checkText("reason", event.reason, 128),
    ...checkLength("message", event.message, 1024),
  ];
}

const checkText = (field: string, text: string | undefined, most: number): FieldError[] =>
  text ? checkLength(field, text, most) : [required(field)];

const checkLength = (field: string, text = "", most: number): FieldError[] =>
  Buffer.byteLength(text) > most ? [invalid(field, "", `can have at most ${most} characters`)] : [];
