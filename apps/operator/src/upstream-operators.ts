import { isReason, type KubeClient, Lease } from "@trivium/kube";
import type { Dialect, UpstreamOperator } from "@trivium/reconcile";
import { type Clock, type Log, type PolicyRule, type Runtime, systemClock, waitFor } from "@trivium/runtime";
import { type Millis, parseTime } from "@trivium/std";
import { Gauge, type Registry } from "prom-client";

/** The Leases of upstream operators are read by name; only those in namespaces of such operators count. */
export const upstreamLeaseRule = (names: readonly string[]): PolicyRule => ({
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  resourceNames: [...names],
  verbs: ["list"],
});

export interface UpstreamOptions {
  /** Sees all namespaces. */
  readonly client: KubeClient;
  readonly dialects: readonly Dialect[];
  /** Where upstream operators are installed besides their own namespaces. */
  readonly namespaces?: readonly string[];
  readonly runtime: Pick<Runtime, "rest">;
  readonly log: Log;
  readonly registry: Registry;
  readonly clock?: Clock;
}

/** A Lease as it was seen last, and how long it has not been renewed since. */
interface ObservedLease {
  readonly renewed: string;
  readonly since: Millis;
}

/** How often is looked, and how often while an upstream operator seems to run. */
const period: Millis = 60_000;
const shortPeriod: Millis = 3_000;
/** A Lease that was renewed longer ago than this, or will be, is not held; clocks differ by less. */
const longest: Millis = 120_000;
const defaultDuration = 15;
const longestDuration = 120;

/**
 * Two operators on one API would undo each other's work without end. So the reconcilers of a dialect rest while the leader of its
 * upstream operator renews its Lease, and go on when it has not for as long as the Lease lasts.
 */
export class UpstreamOperators {
  readonly #options: UpstreamOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #seen = new Map<string, ObservedLease>();
  readonly #running = new Set<string>();
  readonly #gauge: Gauge;
  #watching: Promise<void> = Promise.resolve();

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#gauge = new Gauge({
      name: "trivium_upstream_operator_running",
      help: "1 while the upstream operator of a dialect holds its Lease; its reconcilers rest then",
      labelNames: ["dialect"],
      registers: [options.registry],
    });
  }

  /** Resolves when every Lease was seen once. */
  async start(): Promise<void> {
    await this.#look();
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#watching;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await waitFor(this.#clock, this.#running.size > 0 ? shortPeriod : period, signal);
      if (!signal.aborted) await this.#look();
    }
  }

  async #look(): Promise<void> {
    const { dialects, log, runtime } = this.#options;
    const found = await Promise.all(dialects.map(({ upstream }) => upstream && this.#findLease(upstream)));
    for (const [at, { name, upstream }] of dialects.entries()) {
      if (upstream === undefined) continue;
      const held = found[at];
      this.#gauge.set({ dialect: name }, held === undefined ? 0 : 1);
      if (held !== undefined && !this.#running.has(name)) {
        log.warn(
          { dialect: name, lease: held },
          `${upstream.name} is running and holds Lease ${held}; ${name} objects are left to it; stop it, or run this operator without ${name} (--dialects)`,
        );
        this.#running.add(name);
      } else if (held === undefined && this.#running.delete(name)) {
        log.info({ dialect: name }, `${upstream.name} has stopped; reconciling ${name} objects`);
      }
    }
    const resting = dialects.filter(({ name }) => this.#running.has(name));
    runtime.rest(new Set(resting.flatMap(({ reconcilers }) => reconcilers.map(({ name }) => name))));
  }

  /** A Lease that its holder renews, as namespace/name. */
  async #heldLease({ leases, namespaces }: UpstreamOperator): Promise<string | undefined> {
    const { client, namespaces: more = [] } = this.#options;
    const places = new Set([...namespaces, ...more]);
    // All are asked for at once: the start waits for the answers.
    const lists = await Promise.all(
      leases.map((name) => client.list(Lease, { fieldSelector: `metadata.name=${name}` })),
    );
    const trusted = lists.flatMap(({ items }) => items).filter(({ metadata }) => places.has(metadata.namespace ?? ""));
    const held = trusted.find((lease) => this.#isHeld(lease));
    return held && `${held.metadata.namespace}/${held.metadata.name}`;
  }

  #findLease(upstream: UpstreamOperator): Promise<string | undefined> {
    return this.#heldLease(upstream).catch((error: unknown) => this.#report(upstream, error));
  }

  #isHeld({ metadata, spec = {} }: Lease): boolean {
    const { holderIdentity = "", renewTime = "", leaseDurationSeconds = defaultDuration } = spec;
    const duration = Math.min(leaseDurationSeconds, longestDuration) * 1000;
    const key = `${metadata.namespace}/${metadata.name}`;
    const before = this.#seen.get(key);
    const now = this.#clock.elapsed();
    const seen = before?.renewed === renewTime ? before : { renewed: renewTime, since: now };
    this.#seen.set(key, seen);
    const renewed = parseTime(renewTime);
    if (holderIdentity === "" || renewed === undefined) return false;
    if (before === undefined && Math.abs(this.#clock.now() - renewed) > longest) {
      this.#seen.set(key, { renewed: renewTime, since: Number.NEGATIVE_INFINITY });
      return false;
    }
    return now - seen.since < duration;
  }

  /** Who cannot read the Leases does not know of the other operator, and works as before. */
  #report({ name }: UpstreamOperator, error: unknown): undefined {
    const { log } = this.#options;
    const advice = isReason(error, "Forbidden") ? "; allow this operator to list it" : "";
    log.warn({ err: error }, `cannot read the Lease of ${name}${advice}`);
    return undefined;
  }
}
