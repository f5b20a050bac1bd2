import { Job, type Kind } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../kinds/service-template.ts";
import { annotations } from "../labels.ts";
import type { Template } from "../objects.ts";
import { discoveryLabels } from "../template/discovery/discovery-job.ts";

/** A template that wants to run discovery, or has a slot. */
export interface ObservedSlot {
  readonly kind: "AIMServiceTemplate" | "AIMClusterServiceTemplate";
  readonly namespace?: string;
  readonly name: string;
  /** The Job that it wants to run, or that runs. */
  readonly job?: string;
  /** The Job that it may run. */
  readonly granted?: string;
  readonly grantedAt?: string;
  /** Its Job runs and gets nowhere, because its image cannot be had. */
  readonly isStuck?: true;
  readonly attempts: number;
  readonly since: string;
}

export interface ObservedSlots {
  readonly templates: readonly ObservedSlot[];
  /** Jobs that have not ended, whoever they belong to. */
  readonly jobs: readonly string[];
}

export const slotReads = [Job, AIMServiceTemplate, AIMClusterServiceTemplate] as const satisfies readonly Kind[];

export function observeSlots(reader: Reader<(typeof slotReads)[number]>): ObservedSlots {
  return {
    templates: [
      ...reader.listParts(AIMServiceTemplate, {}, slotOf("AIMServiceTemplate")),
      ...reader.listParts(AIMClusterServiceTemplate, {}, slotOf("AIMClusterServiceTemplate")),
    ],
    jobs: reader.listParts(Job, { labels: discoveryLabels }, activeJob),
  };
}

/** Most templates want nothing and have nothing, and change for other reasons. */
const slotOf = (kind: ObservedSlot["kind"]): Part<Template, ObservedSlot | undefined> => ({
  name: "discovery slot",
  of: (template) => observedSlot(kind, template),
});

function observedSlot(kind: ObservedSlot["kind"], { metadata, status }: Template): ObservedSlot | undefined {
  const job = metadata.deletionTimestamp === undefined ? status?.discoveryJob?.name : undefined;
  const granted = metadata.annotations?.[annotations.discoverySlot];
  const grantedAt = metadata.annotations?.[annotations.discoverySlotSince];
  if (job === undefined && granted === undefined) return undefined;
  const { namespace, name = "", creationTimestamp = "" } = metadata;
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    ...(job === undefined ? {} : { job }),
    ...(granted === undefined ? {} : { granted }),
    ...(grantedAt === undefined ? {} : { grantedAt }),
    ...(job !== undefined && isStuck(status) ? { isStuck: true as const } : {}),
    attempts: status?.discovery?.refresh?.attempts ?? status?.discovery?.attempts ?? 0,
    since: creationTimestamp,
  };
}

/** Also where what was found before still stands. */
function isStuck(status: Template["status"]): boolean {
  const fresh = status?.conditions?.find(({ type }) => type === "UpToDate");
  return status?.status === "Degraded" || (fresh?.status === "False" && fresh.reason !== "ImageMoved");
}

const activeJob: Part<Job, string | undefined> = {
  name: "active",
  of: ({ metadata, status }) => {
    const isDone = status?.conditions?.some(
      ({ type, status: truth }) => (type === "Complete" || type === "Failed") && truth === "True",
    );
    return isDone ? undefined : metadata.name;
  },
};
