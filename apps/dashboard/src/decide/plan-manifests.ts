import type { Explanation } from "@trivium/domain";
import { explainDecision } from "@trivium/explain";
import type { AnyObject, DefinedKind, Kind } from "@trivium/kube";
import { objectPathOf } from "../kube/apis.ts";
import { reader } from "../kube/dialects.ts";
import { findKind } from "../kube/discover.ts";
import { apiPath, getJson, RequestFailure } from "../kube/request.ts";
import { keepOrder } from "../parts/keep-order.ts";
import { editableText } from "../service/yaml/edit.ts";
import { writeObject } from "../service/yaml/write-object.ts";
import { client } from "./client.ts";
import { dialectsHere } from "./explain-service.ts";
import { type OverlaidObject, overlay } from "./overlay.ts";

/** What applying one manifest would do. */
export interface PlannedManifest {
  readonly manifest: AnyObject;
  readonly kind: Kind | undefined;
  readonly action: "create" | "change" | "none" | "refused";
  /** Why the server would refuse it. */
  readonly failure?: string | undefined;
  readonly before: string;
  readonly after: string;
  /** Of a service: what would be decided. */
  readonly explanation?: Explanation | undefined;
  /** Objects that it names and that do not exist. */
  readonly missing: readonly string[];
}

/** Applies each manifest with a dry run, and decides about the services as they would be then. Nothing is written. */
export async function planManifests(manifests: readonly AnyObject[], namespace: string): Promise<PlannedManifest[]> {
  const planned: (PlannedManifest & { readonly object?: AnyObject })[] = [];
  for (const manifest of manifests) planned.push(await dryRun(manifest, namespace));
  const objects = planned.flatMap(({ kind, object }): OverlaidObject[] =>
    kind === undefined || object === undefined ? [] : [{ kind, object }],
  );
  return Promise.all(
    planned.map(({ object, ...one }) => (object === undefined ? one : withDecision(one, object, objects))),
  );
}

async function dryRun(written: AnyObject, namespace: string): Promise<PlannedManifest & { object?: AnyObject }> {
  const kind = await findKind(written.apiVersion, written.kind);
  const none = { manifest: written, kind, before: "", after: "", missing: [] };
  if (kind === undefined)
    return { ...none, action: "refused", failure: `${written.apiVersion} ${written.kind} is not served by this API` };
  const manifest: AnyObject = kind.namespaced ? { ...written, metadata: { namespace, ...written.metadata } } : written;
  try {
    const live = await findLive(kind, manifest);
    const object = await writeObject(kind, { is: "apply", manifest }, { isDryRun: true, isForced: true });
    const [before, after] = [live === undefined ? "" : editableText(live), editableText(keepOrder(object, live))];
    const action = live === undefined ? "create" : before === after ? "none" : "change";
    return { ...none, manifest, action, before, after, object };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { ...none, manifest, action: "refused", failure };
  }
}

async function findLive(kind: Kind, { metadata }: AnyObject): Promise<AnyObject | undefined> {
  const { namespace, name = "" } = metadata;
  const path = apiPath(objectPathOf(kind, { namespace, name }));
  return getJson<AnyObject>(path, { mayFail: true }).catch((error: unknown) => {
    if (error instanceof RequestFailure && error.status === 404) return undefined;
    throw error;
  });
}

async function withDecision(
  planned: PlannedManifest,
  object: AnyObject,
  objects: readonly OverlaidObject[],
): Promise<PlannedManifest> {
  const dialects = dialectsHere();
  const service = dialects.map(({ serviceKind }) => serviceKind).find((kind) => isSame(kind, object));
  if (service === undefined) return planned;
  const seen = overlay(client, objects);
  const { explanation } = await explainDecision(seen, object, { kind: service, dialects, now: Date.now() });
  const kinds = dialects.flatMap((dialect) => dialect.kinds).filter(({ group }) => group === service.group);
  const relations = reader.guideOf(object).uses(object);
  const missing = await Promise.all(
    relations.map(async ({ kinds: names, name, namespace }) => {
      const candidates = kinds.filter(({ kind }) => names.includes(kind));
      const found = await Promise.all(
        candidates.map((kind) => exists(seen, kind, { name, namespace: namespace ?? object.metadata.namespace })),
      );
      return found.includes(true) ? [] : [`${names.join(" or ")} ${name}`];
    }),
  );
  return { ...planned, explanation, missing: missing.flat() };
}

const isSame = (kind: DefinedKind, { apiVersion, kind: name }: AnyObject): boolean =>
  kind.kind === name && `${kind.group}/${kind.version}` === apiVersion;

type Named = { readonly name: string; readonly namespace: string | undefined };

const exists = (seen: typeof client, kind: DefinedKind, { name, namespace }: Named): Promise<boolean> =>
  seen.get(kind, kind.namespaced ? { name, namespace } : { name }).then(
    () => true,
    () => false,
  );

/** Carries the plan out, in the order of the manifests. */
export async function applyPlan(planned: readonly PlannedManifest[]): Promise<void> {
  for (const { kind, manifest, action } of planned) {
    if (kind === undefined || action === "none") continue;
    await writeObject(kind, { is: "apply", manifest }, { isDryRun: false, isForced: true });
  }
}
