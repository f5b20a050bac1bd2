import type { Kind } from "@trivium/kube";
import type { Patch } from "@trivium/reconcile";
import { formatTime, type Instant } from "@trivium/std";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../kinds/service-template.ts";
import { annotations } from "../labels.ts";
import { keyOf, type SlotPlan } from "./lower.ts";
import type { ObservedSlot } from "./observe.ts";

const kinds = { AIMServiceTemplate, AIMClusterServiceTemplate } as const;

/** What was granted is written on each template as an annotation. */
export function raiseSlots({ given }: SlotPlan, templates: readonly ObservedSlot[], now: Instant): Patch[] {
  return templates.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).flatMap((one) => patchFor(one, given, now));
}

function patchFor(one: ObservedSlot, given: ReadonlySet<string>, now: Instant): Patch[] {
  const { job, granted, grantedAt } = one;
  if (job !== undefined && given.has(keyOf(one))) return [patch(one, { job, since: formatTime(now) })];
  if (granted === undefined) return [];
  return [patch(one, granted === job ? { job, since: grantedAt ?? formatTime(now) } : undefined)];
}

/** Without a grant the slot is taken back. */
function patch({ kind, namespace, name }: ObservedSlot, grant: { job: string; since: string } | undefined): Patch {
  const definition: Kind = kinds[kind];
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(grant === undefined
      ? {}
      : { annotations: { [annotations.discoverySlot]: grant.job, [annotations.discoverySlotSince]: grant.since } }),
  };
  const apiVersion = `${definition.group}/${definition.version}`;
  return { patch: "fields", kind: definition, object: { apiVersion, kind: definition.kind, metadata } };
}
