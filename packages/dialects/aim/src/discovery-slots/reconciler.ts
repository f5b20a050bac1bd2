import { grantSlots } from "@trivium/engines";
import { Job, type Kind, Namespace } from "@trivium/kube";
import type { Patch, Reconciler } from "@trivium/reconcile";
import { formatTime, type Instant, type Millis, parseTime } from "@trivium/std";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../kinds/service-template.ts";
import { annotations } from "../labels.ts";
import type { Template } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { discoveryLabels } from "../template/discovery/discovery-job.ts";

/** A template that wants to look into its image, or has a slot. */
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

const kinds = { AIMServiceTemplate, AIMClusterServiceTemplate } as const;

/**
 * Only so many Jobs look into images at once, over all namespaces. Templates say which Job they want; here it is decided, for all of them in
 * one pass, who may run his, and written on the template as an annotation.
 */
export function discoverySlots({ discovery }: AimOptions): Reconciler<Namespace, ObservedSlots> {
  return {
    name: "aim.discovery-slots",
    kind: Namespace,
    only: { name: "kube-system" },
    reads: [Job],
    writes: [AIMServiceTemplate, AIMClusterServiceTemplate],
    observe: (_, reader) => ({
      templates: [
        ...reader.list(AIMServiceTemplate, {}).flatMap((one) => observedSlot("AIMServiceTemplate", one)),
        ...reader.list(AIMClusterServiceTemplate, {}).flatMap((one) => observedSlot("AIMClusterServiceTemplate", one)),
      ],
      jobs: reader.list(Job, { labels: discoveryLabels }).flatMap(activeJob),
    }),
    decide({ status }, observed, now) {
      const { patches, recheckIn } = shareSlots(observed, { most: discovery.maxJobs, now });
      const recheck = recheckIn === undefined ? {} : { recheckIn };
      return { do: "converge", children: [], patches, status: status ?? {}, ...recheck };
    },
  };
}

/** Most templates want nothing and have nothing. */
function observedSlot(kind: ObservedSlot["kind"], { metadata, status }: Template): ObservedSlot[] {
  const job = metadata.deletionTimestamp === undefined ? status?.discoveryJob?.name : undefined;
  const granted = metadata.annotations?.[annotations.discoverySlot];
  const grantedAt = metadata.annotations?.[annotations.discoverySlotSince];
  if (job === undefined && granted === undefined) return [];
  const { namespace, name = "", creationTimestamp = "" } = metadata;
  return [
    {
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      ...(job === undefined ? {} : { job }),
      ...(granted === undefined ? {} : { granted }),
      ...(grantedAt === undefined ? {} : { grantedAt }),
      ...(job !== undefined && isStuck(status) ? { isStuck: true as const } : {}),
      attempts: status?.discovery?.refresh?.attempts ?? status?.discovery?.attempts ?? 0,
      since: creationTimestamp,
    },
  ];
}

/** Also where what was found before still stands. */
function isStuck(status: Template["status"]): boolean {
  const fresh = status?.conditions?.find(({ type }) => type === "UpToDate");
  return status?.status === "Degraded" || (fresh?.status === "False" && fresh.reason !== "ImageMoved");
}

function activeJob({ metadata, status }: Job): string[] {
  const isDone = status?.conditions?.some(
    ({ type, status: truth }) => (type === "Complete" || type === "Failed") && truth === "True",
  );
  return isDone ? [] : [metadata.name ?? ""];
}

const keyOf = ({ kind, namespace = "", name }: ObservedSlot): string => `${kind}/${namespace}/${name}`;

/**
 * A slot counts while its Job runs, and for a minute before that. One whose Job cannot be made, because a quota forbids it, or cannot have
 * its image, stays with its template but takes no room: what is stuck must not keep all others from their turn.
 */
const patience: Millis = 60_000;

interface SlotPlan {
  readonly patches: Patch[];
  /** When a slot without a Job stops to count. */
  readonly recheckIn?: Millis;
}

function shareSlots({ templates, jobs }: ObservedSlots, { most, now }: { most: number; now: Instant }): SlotPlan {
  const active = new Set(jobs);
  const requests = templates.flatMap((one) => (one.job === undefined ? [] : [{ ...one, job: one.job }]));
  const mine = requests.filter(({ job, granted }) => job === granted);
  const ages = mine
    .filter(({ job }) => !active.has(job))
    .map(({ grantedAt = "" }) => now - (parseTime(grantedAt) ?? 0));
  const stuck = mine.filter(({ job, isStuck }) => isStuck && active.has(job)).length;
  const idle = stuck + ages.filter((age) => age >= patience).length;
  // A Job whose template is gone, or wants another one by now, still takes its room.
  const own = new Set(mine.map(({ job }) => job));
  const others = jobs.filter((job) => !own.has(job)).length;
  const given = grantSlots(
    requests.map((one) => ({ ...one, key: keyOf(one), group: one.namespace ?? "", isHeld: one.job === one.granted })),
    most - others + idle,
  );
  const youngest = ages.filter((age) => age < patience);
  const isCrowded = requests.length > mine.length + given.size;
  return {
    patches: templates.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).flatMap((one) => patchFor(one, given, now)),
    ...(isCrowded && youngest.length > 0 ? { recheckIn: patience - Math.max(...youngest) } : {}),
  };
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
