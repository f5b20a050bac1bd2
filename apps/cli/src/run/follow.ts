import { setTimeout as sleep } from "node:timers/promises";
import type { DownloadProgress, ServingDialect } from "@trivium/domain";
import { namespaceOption } from "@trivium/engines";
import { flatten, gather, type Standing } from "@trivium/explain";
import { type AnyObject, Deployment, Job, type Kind, type KubeClient, Pod, StatefulSet } from "@trivium/kube";
import { Refusal } from "@trivium/std";
import { watchChanges } from "../cluster/changes.ts";
import { readyOf, standingWith } from "../explain/state.ts";
import type { Screen, StateText } from "../screen.ts";
import { formatBar } from "./bar.ts";
import { fartherOf, type Preparing, preparingIn, readDownload } from "./live-download.ts";

export interface Followed {
  readonly client: KubeClient;
  readonly dialect: ServingDialect;
  readonly name: string;
  readonly namespace: string;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

/** A failure that lasts longer than this needs a person. */
const grace = 10_000;
/** A controller that runs has reported something by then, on a busy cluster too. */
const silence = 60_000;

/** Shows how far a service is until it serves; throws its one cause when it needs a person. */
export async function untilServing(followed: Followed): Promise<void> {
  const ending = new AbortController();
  const signal = AbortSignal.any([followed.signal, ending.signal]);
  const { client, dialect, namespace } = followed;
  const changes = watchChanges(client, [...dialect.kinds, ...followedParts], { namespace, signal });
  const since: Since = { created: Date.now(), failing: undefined, preparing: [] };
  try {
    for (;;) {
      followed.signal.throwIfAborted();
      const left = await showState(followed, since);
      if (left === "serving") break;
      await showDownload(changes.next(left), followed, since);
    }
  } finally {
    ending.abort();
    await changes.ended.catch(() => undefined);
  }
  followed.screen.done();
}

/** What a service runs as: their progress is part of its own. */
const followedParts: readonly Kind[] = [Deployment, StatefulSet, Job, Pod];

interface Since {
  readonly created: number;
  failing: number | undefined;
  /** What prepares the pods now, and how far its log says that it is. */
  preparing: readonly Preparing[];
  logged?: DownloadProgress | undefined;
}

const second = 1_000;

/** Moves the bar every second until something changes: statuses are written less often. Scripts get a line for each of those only. */
async function showDownload(
  until: Promise<void>,
  { client, namespace, screen }: Followed,
  since: Since,
): Promise<void> {
  const ending = new AbortController();
  const over = until.finally(() => ending.abort());
  while (screen.isRewritten && since.preparing.length > 0) {
    await sleep(second, undefined, { signal: ending.signal }).catch(() => undefined);
    if (ending.signal.aborted) break;
    const logged = await readDownload(client, namespace, since.preparing);
    since.logged = logged;
    if (logged !== undefined && !ending.signal.aborted) screen.state((columns) => formatBar(logged, columns));
  }
  await over;
}

/** Shows the state as it is now. Returns how long it can stay so without a change, or that the service serves. */
async function showState(followed: Followed, since: Since): Promise<"serving" | number | undefined> {
  const { dialect, name, namespace, client, screen } = followed;
  const subject = { kind: dialect.serviceKind, name };
  const { object, parts, uses } = await gather(client, subject, { namespace, dialects: [dialect] });
  const others = [...uses, ...flatten(parts)];
  const standing = standingWith(object, others);
  since.preparing = preparingIn(others);
  if (since.preparing.length === 0) since.logged = undefined;
  const outdated = isReady(object) ? others.find((one) => !isUpdated(one)) : object;
  if (outdated === undefined) return "serving";
  // What serves the spec before is ready; that the change fails is then a fault beside it.
  const isFailing = standing.is === "failed" || standing.is === "degraded";
  since.failing = isFailing ? (since.failing ?? Date.now()) : undefined;
  if (since.failing !== undefined && Date.now() - since.failing >= grace) throw causeOf(object, standing);
  const isSilent = readyOf(object) === undefined;
  if (isSilent && Date.now() - since.created >= silence) throw withoutController(object);
  if (isSilent) screen.state("created");
  else if (outdated !== object) screen.state(updateOf(outdated));
  else screen.state(stateOf(standing, fartherOf(downloadAmong(dialect, [object, ...others]), since.logged)));
  if (since.failing !== undefined) return since.failing + grace - Date.now();
  return isSilent ? since.created + silence - Date.now() : undefined;
}

const withoutController = ({ kind, metadata: { name } }: AnyObject): Refusal =>
  new Refusal(
    `${kind} ${name} was created, and no controller has reported on it within ${silence / 1000}s; check that the operator runs (trivium doctor)`,
  );

/** Ready as it is now: right after a change the condition is still that of the spec before. */
function isReady(object: AnyObject): boolean {
  const ready = readyOf(object);
  const { generation = 0 } = object.metadata;
  return ready?.status === "True" && (ready.observedGeneration ?? generation) >= generation;
}

interface Rollout {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
}

/** As `kubectl rollout status` has it: all pods are of the spec as it is now, and none of the one before is left. */
function isUpdated({ kind, metadata, spec, status }: AnyObject): boolean {
  if (kind !== "Deployment") return true;
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0 } = (status ?? {}) as Rollout;
  const { replicas: wanted = 1 } = (spec ?? {}) as { readonly replicas?: number };
  return observedGeneration >= (metadata.generation ?? 0) && updatedReplicas >= wanted && replicas <= updatedReplicas;
}

function updateOf({ spec, status }: AnyObject): string {
  const { updatedReplicas = 0 } = (status ?? {}) as Rollout;
  const { replicas = 1 } = (spec ?? {}) as { readonly replicas?: number };
  return `${updatedReplicas} of ${replicas} replicas updated; waiting for those of the previous spec to stop`;
}

const downloadAmong = (dialect: ServingDialect, objects: readonly AnyObject[]): DownloadProgress | undefined =>
  objects.map((object) => dialect.downloadOf(object)).find((download) => download !== undefined);

const stateOf = ({ word, why }: Standing, download: DownloadProgress | undefined): StateText =>
  download === undefined ? (why ?? word) : (columns) => formatBar(download, columns);

const causeOf = ({ kind, metadata: { name, namespace } }: AnyObject, { why, word }: Standing): Refusal =>
  new Refusal(
    `${kind} ${name} is not ready: ${why ?? word}\n  trivium explain ${kind.toLowerCase()}/${name}${namespaceOption(namespace)} shows more`,
  );
