import { ControllerRevision, type KubeObject, type PodTemplateSpec } from "@trivium/kube";
import type { Desired, Reader } from "@trivium/reconcile";
import { absent, deepEqual, type Fact, type JsonObject, known } from "@trivium/std";
import { type Belongings, byAge, claim, isControlled, observeBelongings } from "./claim.ts";
import { templateHash } from "./template-hash.ts";

/** A set whose templates are kept as revisions: a StatefulSet or a DaemonSet. */
export interface Revised extends KubeObject {
  spec: { selector: { matchLabels?: Record<string, string> | undefined }; template: PodTemplateSpec };
  status?: { collisionCount?: number | undefined } | undefined;
}

export interface ObservedRevisions {
  readonly revisions: Belongings<ControllerRevision>;
  /** The uid of whoever has the name that a new revision would get. Looked for only while there is none of the template. */
  readonly nameHolder: Fact<string>;
}

export function observeRevisions(set: Revised, reader: Reader<typeof ControllerRevision>): ObservedRevisions {
  const revisions = observeBelongings(set, set.spec.selector, ControllerRevision, reader);
  const { ours } = claim(revisions, set.spec.selector);
  const content = contentOf(set.spec.template);
  if (ours.some(({ data }) => deepEqual(data, content))) return { revisions, nameHolder: absent };
  const { namespace } = set.metadata;
  const holder = reader.get(ControllerRevision, { namespace, name: nameOf(set).name });
  return { revisions, nameHolder: holder.is === "known" ? known(holder.value.metadata.uid ?? "") : holder };
}

export interface History {
  /** The revision of the template as it is now. */
  readonly latest: ControllerRevision;
  /** All revisions, the lowest first, the latest among them. */
  readonly all: readonly ControllerRevision[];
  /** As children: the new one whole, those that stay kept. */
  children(isKept: (revision: ControllerRevision) => boolean): Desired[];
}

/** The history with a revision for the template: one that is there becomes the latest again, else one is made. */
export function planHistory(set: Revised, observed: Belongings<ControllerRevision>, hashLabel: string): History {
  const there = claim(observed, set.spec.selector).ours.toSorted((a, b) => a.revision - b.revision || byAge(a, b));
  const content = contentOf(set.spec.template);
  const found = there.findLast(({ data }) => deepEqual(data, content));
  const highest = there.at(-1);
  const next = (highest?.revision ?? 0) + 1;
  const latest =
    found === undefined ? newRevision(set, next, hashLabel) : found === highest ? found : raised(found, next);
  const others = there.filter((revision) => revision !== found);
  return {
    latest,
    all: [...others, latest],
    children: (isKept) => [
      ...others.filter((revision) => isKept(revision) || !isControlled(revision)).map(keep),
      // What is just taken in is changed in the next pass, when it is ours.
      found === latest || observed.orphans.includes(found as ControllerRevision)
        ? keep(latest)
        : { kind: ControllerRevision, object: latest },
    ],
  };
}

const keep = (revision: ControllerRevision): Desired => ({ kind: ControllerRevision, object: revision, keep: true });

/** The template that a revision holds. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec {
  const { $patch: _, ...template } = (data as { spec: { template: JsonObject } }).spec.template;
  return template as PodTemplateSpec;
}

/** A patch that brings a set back to the template: what `kubectl rollout undo` sends. */
function contentOf(template: PodTemplateSpec): JsonObject {
  return { spec: { template: { ...template, $patch: "replace" } } } as unknown as JsonObject;
}

function nameOf(set: Revised): { readonly name: string; readonly hash: string } {
  const hash = templateHash(set.spec.template, set.status?.collisionCount || undefined);
  return { name: `${(set.metadata.name ?? "").slice(0, 223)}-${hash}`, hash };
}

function newRevision(set: Revised, revision: number, hashLabel: string): ControllerRevision {
  const { namespace, annotations } = set.metadata;
  const { name, hash } = nameOf(set);
  const labels = { ...set.spec.template.metadata?.labels, [hashLabel]: hash };
  const metadata = { name, ...(namespace && { namespace }), labels, ...(annotations && { annotations }) };
  const data = contentOf(set.spec.template) as ControllerRevision["data"];
  return { apiVersion: "apps/v1", kind: "ControllerRevision", metadata, data, revision };
}

function raised(there: ControllerRevision, revision: number): ControllerRevision {
  const { name, namespace, labels, annotations } = there.metadata;
  const metadata = {
    ...(name && { name }),
    ...(namespace && { namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
  return { apiVersion: "apps/v1", kind: "ControllerRevision", metadata, data: there.data, revision };
}
