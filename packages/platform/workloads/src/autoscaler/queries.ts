import type { LabelSelectorObject } from "@trivium/kube";
import { defineQuery } from "@trivium/reconcile";

/** How often metrics are looked at: the rhythm of a real autoscaler. */
const ttl = 15_000;

/** What each pod uses of a resource, by name, in thousandths. Pods that say nothing are left out. */
export const podUsage = defineQuery<
  { namespace: string; pods: readonly string[]; resource: string; container?: string },
  Readonly<Record<string, number>>
>("podUsage", { ttl });

/** A metric of each pod, by name, in thousandths. */
export const podMetric = defineQuery<
  { namespace: string; pods: readonly string[]; metric: string; selector?: LabelSelectorObject },
  Readonly<Record<string, number>>
>("podMetric", { ttl });

/** A metric of one object, in thousandths. */
export const objectMetric = defineQuery<
  { namespace: string; object: { kind: string; name: string }; metric: string; selector?: LabelSelectorObject },
  number
>("objectMetric", { ttl });

/** A metric of something outside, in thousandths. */
export const externalMetric = defineQuery<
  { namespace: string; metric: string; selector?: LabelSelectorObject },
  number
>("externalMetric", { ttl });
