import { int64, listMap, obj, oneOf, str, time } from "@trivium/schema";
import { maybe } from "./nullable.ts";

const Condition = obj("One aspect of the state of this object", {
  type: str("Which aspect: a CamelCase word, or `domain/Word` for one that is not ours", {
    maxLength: 316,
    pattern:
      "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
  }),
  status: oneOf("Whether it holds: `True`, `False`, or `Unknown` when that cannot be told", [
    "True",
    "False",
    "Unknown",
  ]),
  reason: str("Why, as one CamelCase word that programs may rely on", {
    minLength: 1,
    maxLength: 1024,
    pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
  }),
  message: str("Why, in a sentence for the person who reads it; may be empty", { maxLength: 32768 }),
  lastTransitionTime: time("When the status of this condition last changed"),
  observedGeneration: maybe(
    int64("The `metadata.generation` this was said about; when it is behind, the condition is out of date", {
      minimum: 0,
    }),
  ),
});

/** The conditions of an object: one entry per type. */
export const conditions = (description: string) => listMap(description, ["type"], Condition);
