import { list, obj, oneOf, opt, str } from "@trivium/schema";

const FailedCheck = obj("A failed check", {
  gate: str("Name of the check"),
  reason: str("Reason in CamelCase"),
  actual: str("Value of the candidate or the service"),
  required: str("Value that would pass"),
});

const Candidate = obj("An image that was considered", {
  name: str("Image, or the place that names none"),
  scope: opt(str("Where it comes from: `service`, `operator` or `runtime`")),
  is: oneOf("Outcome. `rejected`: a check failed; `outranked`: another one is preferred", [
    "chosen",
    "rejected",
    "outranked",
  ]),
  failed: list("Failed checks", FailedCheck),
  lost: opt(
    obj("Rank that decided against it", {
      rank: str("Name of the rank"),
      actual: str("Its value"),
      best: str("Value of the chosen one"),
    }),
  ),
  change: opt(str("Smallest change that would make it pass")),
});

/** The same names as in the annotation `trivium.dev/selection` of the APIs that have no field for it. */
export const Selection = obj("Choice of the image", {
  of: str("What is chosen: `image`"),
  runtime: str("Runtime of the service"),
  chosen: opt(str("Image in use")),
  because: str("Why it was chosen, or why none was"),
  candidates: list("All images that were considered", Candidate),
});
