import type { Event } from "@trivium/kube";
import { type FieldError, invalid, required } from "@trivium/schema";
import { qualifiedName, requiredText } from "../checks/values.ts";

/** Lengths of the texts of an event that carries `eventTime`, the mark of the newer form. */
const longest = { action: 128, reason: 128, reportingInstance: 128, message: 1024 } as const;

/** An event lives beside what it is about; events about things without a namespace live in `default`. */
export function checkEvent(event: Event): FieldError[] {
  const { namespace = "" } = event.metadata;
  const about = event.involvedObject.namespace ?? "";
  const isNew = event.eventTime !== undefined;
  const homeless =
    about === "" && namespace !== "" && namespace !== "default" && !(isNew && namespace === "kube-system");
  const elsewhere = about !== "" && about !== namespace && !isNew;
  return [
    ...(homeless || elsewhere ? [invalid("involvedObject.namespace", about, "does not match event.namespace")] : []),
    ...(isNew ? checkNewForm(event) : []),
  ];
}

function checkNewForm(event: Event): FieldError[] {
  const { reportingComponent = "" } = event;
  const faults = [
    ...requiredText("reportingComponent", reportingComponent),
    ...qualifiedName("reportingComponent", reportingComponent),
    ...requiredText("reportingInstance", event.reportingInstance),
    ...requiredText("action", event.action),
  ];
  if (!event.reason) faults.push(required("reason"));
  for (const [field, most] of Object.entries(longest)) {
    const text = event[field as keyof typeof longest] ?? "";
    if (text.length > most) faults.push(invalid(field, "", `can have at most ${most} characters`));
  }
  return faults;
}
