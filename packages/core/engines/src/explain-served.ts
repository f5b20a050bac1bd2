import type { Explanation, Served } from "@trivium/domain";

/** What the steps of the middle found, for views: whether it fits, and the one cause that keeps it from serving. */
export function explainServed(served: Served | undefined): Pick<Explanation, "fit" | "diagnosis"> {
  if (served === undefined || served.is === "unresolved") return {};
  return { fit: served.fit, diagnosis: served.is === "blocked" ? served.blocker : served.diagnosis };
}
