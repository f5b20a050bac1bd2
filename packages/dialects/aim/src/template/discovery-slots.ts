import { grantSlots } from "@trivium/engines";
import { Job, type Kind, Namespace } from "@trivium/kube";
import type { Reconciler, Touch } from "@trivium/reconcile";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../kinds/service-template.ts";
import { annotations } from "../labels.ts";
import type { Template } from "../objects.ts";
import type { AimOptions } from "../options.ts";
import { discoveryLabels } from "./discovery-job.ts";

/** A template that wants to look into its image, or has a slot. */
export interface SlotSeen {
  readonly kind: "AIMServiceTemplate" | "AIMClusterServiceTemplate";
  readonly namespace?: string;
  readonly name: string;
  /** The Job that it wants to run, or that runs. */
  readonly job?: string;
  /** The Job that it may run. */
  readonly granted?: string;
  readonly attempts: number;
  readonly since: string;
}

export interface SlotsSeen {
  readonly templates: readonly SlotSeen[];
  /** Jobs that have not ended, whoever they belong to. */
  readonly jobs: readonly string[];
}

const kinds = { AIMServiceTemplate, AIMClusterServiceTemplate } as const;

/**
 * Only so many Jobs look into images at once, over all namespaces. Templates say which Job they want; here it is decided, for all of them in
 * one pass, who may run his, and written on the template as an annotation.
 */
export function discoverySlots({ discovery }: AimOptions): Reconciler<Namespace, SlotsSeen> {
  return {
    name: "aim.discovery-slots",
    kind: Namespace,
    only: { name: "kube-system" },
    reads: [Job],
    writes: [AIMServiceTemplate, AIMClusterServiceTemplate],
    observe: (_, look) => ({
      templates: [
        ...look.list(AIMServiceTemplate, {}).flatMap((one) => slotSeen("AIMServiceTemplate", one)),
        ...look.list(AIMClusterServiceTemplate, {}).flatMap((one) => slotSeen("AIMClusterServiceTemplate", one)),
      ],
      jobs: look.list(Job, { labels: discoveryLabels }).flatMap(activeJob),
    }),
    decide: ({ status }, seen) => ({
      do: "converge",
      children: [],
      touches: touchesOf(seen, discovery.mostJobs),
      status: status ?? {},
    }),
  };
}

/** Most templates want nothing and have nothing. */
function slotSeen(kind: SlotSeen["kind"], { metadata, status }: Template): SlotSeen[] {
  const job = metadata.deletionTimestamp === undefined ? status?.discoveryJob?.name : undefined;
  const granted = metadata.annotations?.[annotations.discoverySlot];
  if (job === undefined && granted === undefined) return [];
  const { namespace, name = "", creationTimestamp = "" } = metadata;
  return [
    {
      kind,
      ...(namespace === undefined ? {} : { namespace }),
      name,
      ...(job === undefined ? {} : { job }),
      ...(granted === undefined ? {} : { granted }),
      attempts: status?.discovery?.attempts ?? 0,
      since: creationTimestamp,
    },
  ];
}

function activeJob({ metadata, status }: Job): string[] {
  const isDone = status?.conditions?.some(
    ({ type, status: truth }) => (type === "Complete" || type === "Failed") && truth === "True",
  );
  return isDone ? [] : [metadata.name ?? ""];
}

const keyOf = ({ kind, namespace = "", name }: SlotSeen): string => `${kind}/${namespace}/${name}`;

function touchesOf({ templates, jobs }: SlotsSeen, most: number): Touch[] {
  const wishes = templates.flatMap((one) => (one.job === undefined ? [] : [{ ...one, job: one.job }]));
  const mine = new Set(wishes.filter(({ job, granted }) => job === granted).map(({ job }) => job));
  // A Job whose template is gone, or wants another one by now, still takes its room.
  const others = jobs.filter((job) => !mine.has(job)).length;
  const given = grantSlots(
    wishes.map((one) => ({ ...one, key: keyOf(one), isHeld: one.job === one.granted })),
    most - others,
  );
  return templates
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .flatMap((one) => {
      if (given.has(keyOf(one))) return [touch(one, one.job)];
      if (one.granted === undefined) return [];
      return one.granted === one.job ? [touch(one, one.job)] : [touch(one, undefined)];
    });
}

/** Without a Job the slot is taken back. */
function touch({ kind, namespace, name }: SlotSeen, job: string | undefined): Touch {
  const definition: Kind = kinds[kind];
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(job === undefined ? {} : { annotations: { [annotations.discoverySlot]: job } }),
  };
  const apiVersion = `${definition.group}/${definition.version}`;
  return { touch: "fields", kind: definition, object: { apiVersion, kind: definition.kind, metadata } };
}
