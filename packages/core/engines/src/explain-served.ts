import type { Explanation, Served } from "@trivium/domain";
import { findRoleFailure } from "./serve.ts";

/** What the steps of the middle found, for views: whether it fits, the one cause that keeps it from serving, and the pod that shows it. */
export function explainServed(served: Served | undefined): Pick<Explanation, "fit" | "diagnosis" | "failedPod"> {
  if (served === undefined || served.is === "unresolved") return {};
  if (served.is === "blocked") return { fit: served.fit, diagnosis: served.blocker };
  const { fit, diagnosis, plan } = served;
  const failedPod = findRoleFailure(plan.roles)?.pod;
  return { fit, diagnosis, ...(failedPod ? { failedPod } : {}) };
}
