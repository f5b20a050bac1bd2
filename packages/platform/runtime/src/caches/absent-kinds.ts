import type { Kind, KubeClient } from "@trivium/kube";
import type { Millis } from "@trivium/std";
import type { Random } from "../backoff.ts";
import { type Clock, waitFor } from "../clock.ts";

export interface AbsentKindsOptions {
  readonly client: Pick<KubeClient, "discover">;
  readonly clock: Clock;
  readonly random: Random;
}

/** How often the server is asked what it serves while a kind is missing. */
const interval: Millis = 30_000;

type Resource = Pick<Kind, "group" | "version" | "plural">;
const idOf = ({ group, version, plural }: Resource): string => `${group}/${version}/${plural}`;

/** Kinds that the server does not serve. One discovery is for all of them: on most clusters some are missing for ever. */
export class AbsentKinds {
  readonly #options: AbsentKindsOptions;
  #next: Promise<ReadonlySet<string> | undefined> | undefined;

  constructor(options: AbsentKindsOptions) {
    this.#options = options;
  }

  /** Resolves when the kind is served, when that cannot be found out, or when the signal is aborted; not before one interval. */
  async whenServed(kind: Kind, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#next ??= this.#discover(signal);
      const served = await this.#next;
      if (served === undefined || served.has(idOf(kind))) return;
    }
  }

  async #discover(signal: AbortSignal): Promise<ReadonlySet<string> | undefined> {
    const { client, clock, random } = this.#options;
    await waitFor(clock, interval * (1 + random() * 0.2), signal);
    this.#next = undefined;
    const found = signal.aborted ? undefined : await client.discover({ signal }).catch(() => undefined);
    return found && new Set(found.map(idOf));
  }
}
