import type { Kind, KubeClient, KubeObject, Ref } from "@trivium/kube";
import { type Log, systemClock, waitFor } from "@trivium/runtime";

export interface FollowOptions {
  readonly client: KubeClient;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const pause = 2_000;

/** Calls back with one object whenever it changes, and with nothing when it is deleted, until the signal. */
export async function followObject<O extends KubeObject>(
  kind: Kind<O>,
  { namespace, name }: Ref,
  { client, log, signal }: FollowOptions,
  onChange: (object: O | undefined) => Promise<void>,
): Promise<void> {
  const watched = { namespace, fieldSelector: `metadata.name=${name}`, resourceVersion: "0", signal };
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(kind, watched)) {
        if (event.type === "BOOKMARK") continue;
        await onChange(event.type === "DELETED" ? undefined : event.object);
      }
    } catch (error) {
      if (!signal.aborted)
        log.warn({ err: error, kind: kind.kind, name }, "cannot follow an object of the webhooks; retrying");
    }
    await waitFor(systemClock, pause, signal);
  }
}
