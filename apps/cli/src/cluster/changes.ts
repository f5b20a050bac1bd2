import { setTimeout as sleep } from "node:timers/promises";
import { isReason, type Kind, type KubeClient } from "@trivium/kube";
import type { Millis } from "@trivium/std";

export interface Watched {
  readonly namespace: string | undefined;
  readonly signal: AbortSignal;
}

export interface Watching extends Watched {
  show(): Promise<void>;
}

/** Changes of objects, as they happen. */
export interface Changes {
  /** Resolves after the next change, after the time if one is given, or at the signal. */
  next(within?: Millis): Promise<void>;
  /** Resolves when the watches have ended; rejects with what one of them failed with. */
  readonly ended: Promise<unknown>;
}

/** Changes come in bursts; one look shows them all. */
const pause = 150;
const reopening = 1_000;

/** Watches kinds until the signal. A kind that is not served, or that the caller cannot watch, has no changes. */
export function watchChanges(client: KubeClient, kinds: readonly Kind[], { namespace, signal }: Watched): Changes {
  let isDue = false;
  let wake = (): void => {};
  const changed = (): void => {
    isDue = true;
    wake();
  };
  signal.addEventListener("abort", () => wake(), { once: true });
  const ended = Promise.all(kinds.map((kind) => follow(client, kind, { namespace, signal, changed })));
  // The caller waits for changes; what a watch throws, it gets from `ended`.
  ended.catch(changed);
  return {
    ended,
    async next(within) {
      if (!isDue && !signal.aborted) {
        const due = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const timer = within === undefined ? undefined : setTimeout(() => wake(), within);
        await due;
        clearTimeout(timer);
      }
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      isDue = false;
    },
  };
}

/** Calls `show` after objects of these kinds have changed, until the signal. */
export async function afterEachChange(client: KubeClient, kinds: readonly Kind[], watching: Watching): Promise<void> {
  const { signal, show } = watching;
  const changes = watchChanges(client, kinds, watching);
  while (!signal.aborted) {
    await changes.next();
    if (!signal.aborted) await show();
  }
  await changes.ended;
}

interface Following extends Watched {
  changed(): void;
}

async function follow(client: KubeClient, kind: Kind, { namespace, signal, changed }: Following): Promise<void> {
  while (!signal.aborted) {
    try {
      const scope = namespace === undefined || !kind.namespaced ? {} : { namespace };
      for await (const _ of client.watch(kind, { ...scope, signal })) changed();
    } catch (error) {
      if (isReason(error, "NotFound", "Forbidden", "MethodNotAllowed")) return;
    }
    await sleep(reopening, undefined, { signal }).catch(() => undefined);
  }
}
