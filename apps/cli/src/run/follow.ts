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
/** What fails for longer than this does not heal while somebody waits for it. */
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
    // A service that nobody has looked at yet has no such condition.
    if (readyOf(object)?.status === "True") break;
    failingSince = standing.is === "failed" ? (failingSince ?? Date.now()) : undefined;
    if (failingSince !== undefined && Date.now() - failingSince > grace) throw causeOf(object, standing);
    const download = downloadAmong(dialect, [object, ...others]);
    if (readyOf(object) === undefined) screen.state("created");
    else screen.state(stateOf(standing, download, screen.columns));
    await sleep(step, undefined, { signal }).catch(() => undefined);
  }
  screen.done();
}

const downloadAmong = (dialect: ServingDialect, objects: readonly AnyObject[]): DownloadProgress | undefined =>
  objects.map((object) => dialect.downloadOf(object)).find((download) => download !== undefined);

const stateOf = ({ word, why }: Standing, download: DownloadProgress | undefined, columns: number): string =>
  download === undefined ? (why ?? word) : formatBar(download, columns);

const causeOf = ({ kind, metadata: { name } }: AnyObject, { why, word }: Standing): Refusal =>
  new Refusal(
    `${kind} ${name} is not ready: ${why ?? word}\n  trivium explain ${kind.toLowerCase()}/${name} shows more`,
  );
