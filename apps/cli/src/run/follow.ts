import { setTimeout as sleep } from "node:timers/promises";
import type { DownloadProgress, ServingDialect } from "@trivium/domain";
import type { AnyObject, KubeClient } from "@trivium/kube";
import { Refusal } from "@trivium/std";
import { flatten, gather } from "../explain/gather.ts";
import { readyOf, type Standing, standingOf } from "../explain/state.ts";
import type { Screen } from "../screen.ts";
import { formatBar } from "./bar.ts";

export interface Followed {
  readonly client: KubeClient;
  readonly dialect: ServingDialect;
  readonly name: string;
  readonly namespace: string;
  readonly screen: Screen;
  readonly signal: AbortSignal;
}

const step = 400;
/** A failure that lasts longer than this needs a person. */
const grace = 10_000;

/** Shows how far a service is until it serves; throws its one cause when it needs a person. */
export async function untilServing(followed: Followed): Promise<void> {
  const { dialect, name, namespace, client, screen, signal } = followed;
  let failingSince: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const subject = { kind: dialect.serviceKind, name };
    const { object, parts, uses } = await gather(client, subject, { namespace, dialects: [dialect] });
    const others = [...uses, ...flatten(parts)];
    const standing = standingOf(object);
    if (isReady(object)) break;
    failingSince = standing.is === "failed" ? (failingSince ?? Date.now()) : undefined;
    if (failingSince !== undefined && Date.now() - failingSince > grace) throw causeOf(object, standing);
    const download = downloadAmong(dialect, [object, ...others]);
    if (readyOf(object) === undefined) screen.state("created");
    else screen.state(stateOf(standing, download, screen.columns));
    await sleep(step, undefined, { signal }).catch(() => undefined);
  }
  screen.done();
}

/** Ready as it is now: right after a change the condition is still that of the spec before. */
function isReady(object: AnyObject): boolean {
  const ready = readyOf(object);
  const { generation = 0 } = object.metadata;
  return ready?.status === "True" && (ready.observedGeneration ?? generation) >= generation;
}

const downloadAmong = (dialect: ServingDialect, objects: readonly AnyObject[]): DownloadProgress | undefined =>
  objects.map((object) => dialect.downloadOf(object)).find((download) => download !== undefined);

const stateOf = ({ word, why }: Standing, download: DownloadProgress | undefined, columns: number): string =>
  download === undefined ? (why ?? word) : formatBar(download, columns);

const causeOf = ({ kind, metadata: { name } }: AnyObject, { why, word }: Standing): Refusal =>
  new Refusal(
    `${kind} ${name} is not ready: ${why ?? word}\n  trivium explain ${kind.toLowerCase()}/${name} shows more`,
  );
