import { isReason, type KubeClient, Lease } from "@trivium/kube";
import { formatMicroTime, type Instant, type Millis } from "@trivium/std";
import type { Random } from "./backoff.ts";
import { type Cancel, type Clock, waitFor } from "./clock.ts";

export interface LeaderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Where the Lease is, and what it is called. */
  readonly namespace: string;
  readonly name: string;
  /** Who we are; unique among those who compete. */
  readonly identity: string;
  readonly onLead: () => void;
  readonly onLose: () => void;
  readonly onError?: (error: unknown) => void;
}

/**
 * Others may take over this long after the last renewal that they saw; the holder gives up sooner than that. Whoever waits sees a renewal
 * one try late and notices the end one try late, so a leader that was killed has a successor within 15 s.
 */
export const leaseDuration: Millis = 10_000;
const renewDeadline: Millis = 7_000;
const retryPeriod: Millis = 1_500;
/** Leaves a holder time for two more tries before its deadline, and the connection is not idle for so long that a server closes it. */
const renewPeriod: Millis = 2_500;

/**
 * At most one of several processes leads. Clocks of different machines are never compared: a lease is expired when it was not
 * seen to change for its duration by our own clock, one that nobody sets. Trying is polling, because a Lease that is not renewed sends no event.
 */
export class LeaderElection {
  readonly #options: LeaderOptions;
  readonly #stopping = new AbortController();
  /** The Lease as we last wrote it; while nobody else writes it, it need not be read again. */
  #held: Lease | undefined;
  #observed: { readonly record: string; readonly at: Millis } | undefined;
  #cancelDeadline: Cancel | undefined;
  #isLeader = false;
  /** Whether the server may have our name in the Lease: also where a stop cut off the answer. */
  #hasAsked = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: LeaderOptions) {
    this.#options = options;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Ends the competition, and lets the next one in at once when we lead. Call when the leader's work has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#cancelDeadline?.();
    this.#isLeader = false;
    if (!this.#hasAsked) return;
    await this.#release().catch((error: unknown) => this.#options.onError?.(error));
  }

  async #run(): Promise<void> {
    const { clock, random, onError } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const began = clock.elapsed();
      const isHeld = await this.#tryHold().catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) onError?.(error);
        return false;
      });
      if (isHeld && !this.#stopping.signal.aborted) this.#hold(began);
      const period = isHeld ? renewPeriod : retryPeriod;
      await waitFor(clock, period * (1 + random() * 0.2), this.#stopping.signal);
    }
  }

  /** Leadership is counted from before the renewal was sent, which is when others may have begun to count. */
  #hold(began: Millis): void {
    const { clock, onLead } = this.#options;
    this.#cancelDeadline?.();
    this.#cancelDeadline = clock.schedule(began + renewDeadline - clock.elapsed(), () => this.#lose());
    if (this.#isLeader) return;
    this.#isLeader = true;
    onLead();
  }

  #lose(): void {
    if (!this.#isLeader) return;
    this.#isLeader = false;
    this.#options.onLose();
  }

  async #tryHold(): Promise<boolean> {
    const { client, clock, identity, name, namespace } = this.#options;
    const call = { signal: this.#stopping.signal };
    try {
      const held = this.#held;
      this.#held = undefined;
      const lease = held ?? (await client.get(Lease, { namespace, name }, call));
      const isMine = lease.spec?.holderIdentity === identity;
      if (!isMine && !this.#isExpired(lease)) return this.#giveWay();
      this.#hasAsked = true;
      this.#held = await client.replace(Lease, { ...lease, spec: this.#renewed(lease, isMine) }, call);
    } catch (error) {
      // Somebody was faster: the next look shows who.
      if (isReason(error, "Conflict", "AlreadyExists")) return false;
      if (!isReason(error, "NotFound")) throw error;
      const spec = { ...this.#term(clock.now()), acquireTime: formatMicroTime(clock.now()), leaseTransitions: 0 };
      const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace }, spec };
      this.#hasAsked = true;
      await client.create(Lease, lease, call);
    }
    return true;
  }

  #giveWay(): false {
    this.#lose();
    return false;
  }

  #isExpired(lease: Lease): boolean {
    const { clock } = this.#options;
    const { holderIdentity, leaseDurationSeconds = leaseDuration / 1000 } = lease.spec ?? {};
    if (!holderIdentity) return true;
    const record = JSON.stringify(lease.spec);
    if (this.#observed?.record !== record) this.#observed = { record, at: clock.elapsed() };
    return clock.elapsed() - this.#observed.at >= leaseDurationSeconds * 1000;
  }

  #renewed(lease: Lease, isMine: boolean): NonNullable<Lease["spec"]> {
    const now = this.#options.clock.now();
    const renewed = { ...lease.spec, ...this.#term(now) };
    if (isMine) return renewed;
    const leaseTransitions = (lease.spec?.leaseTransitions ?? 0) + 1;
    return { ...renewed, acquireTime: formatMicroTime(now), leaseTransitions };
  }

  #term(now: Instant) {
    const { identity } = this.#options;
    return { holderIdentity: identity, leaseDurationSeconds: leaseDuration / 1000, renewTime: formatMicroTime(now) };
  }

  /** A renewal that the stop cut off may reach the server between the two calls. */
  async #release(tries = 3): Promise<void> {
    const { client, identity, name, namespace } = this.#options;
    try {
      const lease = await client.get(Lease, { namespace, name });
      if (lease.spec?.holderIdentity !== identity) return;
      await client.replace(Lease, { ...lease, spec: { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 } });
    } catch (error) {
      if (isReason(error, "NotFound")) return;
      if (tries === 1 || !isReason(error, "Conflict")) throw error;
      await this.#release(tries - 1);
    }
  }
}
