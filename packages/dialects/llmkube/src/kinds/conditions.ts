import { int64, listMap, obj, oneOf, str, time } from "@trivium/schema";
import { maybe } from "./nullable.ts";

const Condition = obj("Condition of the object", {
  type: str("Type of the condition, in CamelCase, or `domain/Type` for conditions of other controllers", {
    maxLength: 316,
    pattern:
      "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
  }),
  status: oneOf("Status of the condition: `True`, `False` or `Unknown`", ["True", "False", "Unknown"]),
  reason: str("Reason for the last transition, in CamelCase; programs can rely on it", {
    minLength: 1,
    maxLength: 1024,
    pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
  }),
  message: str("Explanation for users; can be empty", { maxLength: 32768 }),
  lastTransitionTime: time("Time when the status of the condition last changed"),
  observedGeneration: maybe(
    int64(
      "The `metadata.generation` that the condition was set for; if it is lower than the current one, the condition is out of date",
      {
        minimum: 0,
      },
    ),
  ),
});

/** The conditions of an object: one entry per type. */
export const conditions = (description: string) => listMap(description, ["type"], Condition);
