import {
  isReason,
  type Kind,
  type KubeClient,
  type KubeObject,
  type OwnerReference,
  type ServedResource,
} from "@trivium/kube";
import { type Clock, FieldRecord, type Log, ObjectCache, reflect } from "@trivium/runtime";
import type { Instant, Millis } from "@trivium/std";

export interface OwnersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly onChange: () => void;
}

/** An owner kind that was not served is looked for again, but not all the time. */
const discoverEvery: Millis = 10_000;

/** What stands above workloads: objects of any kind, which are watched from when the first of a kind is met. */
export class Owners {
  readonly #options: OwnersOptions;
  readonly #stopping = new AbortController();
  readonly #watched = new Map<string, ObjectCache>();
  readonly #running: Promise<void>[] = [];
  #served = new Map<string, ServedResource>();
  #discovered: Instant = Number.NEGATIVE_INFINITY;

  constructor(options: OwnersOptions) {
    this.#options = options;
  }

  async discover(): Promise<void> {
    const { client, clock, log } = this.#options;
    this.#discovered = clock.now();
    try {
      const served = await client.discover({ signal: this.#stopping.signal });
      this.#served = new Map(served.map((resource) => [keyOf(apiVersionOf(resource), resource.kind), resource]));
    } catch (error) {
      if (!this.#stopping.signal.aborted) log.warn({ err: error }, "cannot list the kinds of the API");
    }
  }

  /** The kind of an owner; nothing while it is not known to be served. */
  resourceOf({ apiVersion, kind }: Pick<OwnerReference, "apiVersion" | "kind">): ServedResource | undefined {
    const found = this.#served.get(keyOf(apiVersion, kind));
    if (found === undefined && this.#options.clock.now() - this.#discovered > discoverEvery) {
      void this.discover().then(this.#options.onChange);
    }
    return found;
  }

  /** The owner itself, as last seen. */
  objectOf(reference: OwnerReference, namespace: string | undefined): KubeObject | undefined {
    const resource = this.resourceOf(reference);
    if (resource === undefined) return undefined;
    const found = this.#cache(resource).get({ namespace, name: reference.name });
    return found?.metadata.uid === reference.uid ? found : undefined;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  #cache(resource: ServedResource): ObjectCache {
    const key = keyOf(apiVersionOf(resource), resource.kind);
    const known = this.#watched.get(key);
    if (known !== undefined) return known;
    const { client, clock, random, log, onChange } = this.#options;
    const cache = new ObjectCache(kindOf(resource), new FieldRecord([]), onChange);
    let isRefused = false;
    const onError = (error: unknown) => {
      if (!isReason(error, "Forbidden"))
        log.warn({ resource: resource.plural, err: error }, "watch failed; restarting it");
      // Workloads of a cluster have owners of any kind, most of which are no concern of a gateway.
      else if (!isRefused)
        log.info(
          { resource: resource.plural, err: error },
          "cannot read owners of this kind; their idle timeouts and scales have no effect",
        );
      isRefused ||= isReason(error, "Forbidden");
    };
    this.#watched.set(key, cache);
    this.#running.push(reflect(cache, { client, clock, random, onError }, this.#stopping.signal));
    return cache;
  }
}

const keyOf = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;
const apiVersionOf = ({ group, version }: ServedResource): string => (group === "" ? version : `${group}/${version}`);

export function kindOf({ group, version, kind, plural, namespaced }: ServedResource): Kind {
  return { group, version, kind, plural, namespaced };
}
