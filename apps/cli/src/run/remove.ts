import type { ServingDialect } from "@trivium/domain";
import { withKind } from "@trivium/explain";
import { type AnyObject, type DefinedKind, isReason, type KubeClient } from "@trivium/kube";
import { findRunning } from "@trivium/local";
import { type AccessOptions, noControlPlane } from "../access.ts";
import { watchChanges } from "../cluster/changes.ts";
import { chooseOnly } from "../cluster/choose.ts";
import { placeOf } from "../cluster/place.ts";
import { listServices, namedService, readService, serviceWords } from "../cluster/service.ts";
import { withCluster } from "../cluster/session.ts";
import { standingOf } from "../explain/state.ts";
import { runLabel } from "./command.ts";

/** Deletes what `trivium run` created under a name, or the one service of that name with nothing else. */
export async function remove(words: string, options: AccessOptions): Promise<string[]> {
  const place = await placeOf(options);
  const running = place.is === "machine" ? findRunning(place.home) : undefined;
  if (place.is === "machine" && running === undefined) throw noControlPlane();
  const { namespace = place.is === "cluster" ? place.access.namespace : "default" } = options;
  const chosen = running === undefined ? options : { kubeconfig: running.kubeconfig };
  return withCluster(chosen, ({ client }) => removeFrom(client, words, namespace));
}

async function removeFrom(client: KubeClient, words: string, namespace: string): Promise<string[]> {
  const { name, chosen } = readService(words);
  const all = await Promise.all(chosen.map((dialect) => findOf(client, dialect, { name, namespace })));
  const found = all.filter(({ objects }) => objects.length > 0);
  const services = found.length > 0 ? [] : await listServices(client, namespace);
  const known = services.map(({ object }) => object.metadata.name ?? "");
  const only = chooseOnly({
    ...namedService(name, namespace, known),
    found,
    wordsFor: ({ dialect }) => serviceWords(dialect, name),
  });
  for (const { kind, name: each } of only.objects)
    await client.delete(kind, { namespace, name: each }, { propagationPolicy: "Background" });
  const left = await waitUntilGone(client, only.objects, namespace);
  return only.objects.map((one) => describeRemoved(one, left.get(one)));
}

/** Operators take their finalizers off within a moment. */
const patience = 5_000;

/** What still exists, because something has to be done before it can go. */
async function waitUntilGone(
  client: KubeClient,
  objects: readonly Found[],
  namespace: string,
): Promise<ReadonlyMap<Found, AnyObject>> {
  const signal = AbortSignal.timeout(patience);
  const stop = new AbortController();
  const watched = { namespace, signal: AbortSignal.any([signal, stop.signal]) };
  const changes = watchChanges(client, [...new Set(objects.map(({ kind }) => kind))], watched);
  try {
    for (;;) {
      const left = await findLeft(client, objects, namespace);
      if (left.size === 0 || signal.aborted) return left;
      await changes.next();
    }
  } finally {
    stop.abort();
    await changes.ended.catch(() => undefined);
  }
}

async function findLeft(client: KubeClient, objects: readonly Found[], namespace: string) {
  const found = await Promise.all(
    objects.map(async (one) => {
      const object = await client.get(one.kind, { namespace, name: one.name }).catch(undefinedIfMissing);
      const isLeaving = object?.metadata.deletionTimestamp !== undefined;
      return isLeaving ? [[one, withKind(one.kind, object as AnyObject)] as const] : [];
    }),
  );
  return new Map(found.flat());
}

function describeRemoved({ kind, name }: Found, left: AnyObject | undefined): string {
  if (left === undefined) return `${kind.kind} ${name} deleted`;
  const { finalizers = [] } = left.metadata;
  const { is, why } = standingOf(left);
  const cause = is === "failed" && why !== undefined ? `. ${why}` : "";
  return `${kind.kind} ${name} is being deleted: it waits for ${finalizers.length === 1 ? "finalizer" : "finalizers"} ${finalizers.join(", ")}${cause}`;
}

function undefinedIfMissing(error: unknown): undefined {
  if (isReason(error, "NotFound")) return undefined;
  throw error;
}

interface Found {
  readonly kind: DefinedKind;
  readonly name: string;
}

interface Place {
  readonly name: string;
  readonly namespace: string;
}

async function findOf(client: KubeClient, dialect: ServingDialect, place: Place) {
  const created = await findCreated(client, dialect, place);
  return { dialect, objects: created.length > 0 ? created : await findService(client, dialect, place) };
}

async function findCreated(client: KubeClient, { kinds }: ServingDialect, { name, namespace }: Place) {
  const labelSelector = `${runLabel}=${name}`;
  const lists = await Promise.all(
    kinds
      .filter(({ namespaced }) => namespaced)
      .map(async (kind) => {
        const { items } = await client.list(kind, { namespace, labelSelector }).catch(noneIfNotServed);
        return items.map(({ metadata }): Found => ({ kind, name: metadata.name ?? "" }));
      }),
  );
  return lists.flat();
}

async function findService(client: KubeClient, { serviceKind: kind }: ServingDialect, place: Place): Promise<Found[]> {
  const exists = await client.get(kind, place).then(() => true, falseIfMissing);
  return exists ? [{ kind, name: place.name }] : [];
}

function noneIfNotServed(error: unknown): { readonly items: readonly { metadata: { name?: string } }[] } {
  if (isReason(error, "NotFound", "Forbidden")) return { items: [] };
  throw error;
}

function falseIfMissing(error: unknown): boolean {
  if (isReason(error, "NotFound", "Forbidden")) return false;
  throw error;
}
