import { isReason, type KubeClient, type KubeObject, type PodSecurityLevel } from "@trivium/kube";
import type { AnyReconciler, Decision } from "@trivium/reconcile";
import { Contests } from "./adopt/contests.ts";
import { planTakeOver } from "./adopt/plan.ts";
import type { TakeOverPlans } from "./adopt/plans.ts";
import { type AdoptPolicy, isAdopting } from "./adopt/policy.ts";
import { carryOut } from "./apply/carry-out.ts";
import { describeChild } from "./apply/child.ts";
import type { EventRecorder } from "./apply/events.ts";
import { hasFinalizer, hasUpstreamFinalizer, isDeleting } from "./apply/finalizer.ts";
import type { Memory } from "./apply/memory.ts";
import { Report } from "./apply/report.ts";
import type { WriteContext } from "./apply/write-context.ts";
import type { Caches } from "./caches/caches.ts";
import type { Dependants } from "./caches/dependants.ts";
import { readerRef } from "./caches/reader.ts";
import { settled } from "./caches/settle.ts";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import { meteredClient } from "./metrics/metered.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Observations } from "./observations.ts";
import { type Pace, restAfter } from "./pace.ts";
import type { Observed, Passes } from "./pass.ts";
import type { Outcome, Queue } from "./queue.ts";

export interface WorkerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly caches: Caches;
  readonly dependants: Dependants;
  readonly memory: Memory;
  readonly metrics: Metrics;
  readonly observations: Observations;
  readonly pace: Pace;
  readonly passes: Passes;
  readonly recorder: EventRecorder;
  readonly podSecurityLevel: PodSecurityLevel;
  readonly release: string | undefined;
  readonly adopt: AdoptPolicy;
  readonly plans: TakeOverPlans;
  readonly reconcilers: ReadonlyMap<string, AnyReconciler>;
  /** Whether another operator works on the objects of a reconciler. */
  readonly isResting: (reconciler: string) => boolean;
  readonly queue: () => Queue;
  /** When the caches stop following the server. */
  readonly stopping: AbortSignal;
}

/** Takes a key from the queue to its end: a pass, the writes that follow from it, and when to look again. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #clients = new Map<string, KubeClient>();
  readonly #contests = new Contests();
  /** Each change names its readers again; what is kept of a reader is kept under one text. */
  readonly #readers = new Map<string, string>();

  constructor(options: WorkerOptions) {
    this.#options = options;
    const { client, metrics, reconcilers } = options;
    for (const name of reconcilers.keys()) {
      this.#clients.set(
        name,
        meteredClient(client, (verb, kind) => metrics.write(name, verb, kind.kind)),
      );
    }
  }

  async work(key: string): Promise<Outcome> {
    const reader = this.#oneOf(key);
    const { reconciler: name, ref } = readerRef(reader);
    const reconciler = this.#options.reconcilers.get(name) as AnyReconciler;
    const object = this.#options.caches.of<KubeObject>(reconciler.kind).get(ref);
    if (object === undefined || this.#isLeft(reconciler, object)) {
      if (object !== undefined && this.#isPlanned(reconciler, object)) this.#plan(reader, reconciler, object);
      else this.#forget(reader);
      return {};
    }
    const context = this.#contextOf(reader, reconciler, object);
    await this.#pass(context);
    const { clock, pace, stopping } = this.#options;
    const { settling } = context.report;
    return { settled: settled([...settling, ...restAfter(context.report, pace, clock, stopping)], clock, stopping) };
  }

  /**
   * With the last finalizer of ours an object is no more our concern, even while others hold it. One of another operator is not before
   * an administrator has agreed to the take-over.
   */
  #isLeft(reconciler: AnyReconciler, object: KubeObject): boolean {
    const { adopt, caches, isResting } = this.#options;
    if (isResting(reconciler.name)) return true;
    if (isDeleting(object) && !hasFinalizer(object, reconciler.finalizer))
      return !isAdopting(adopt) || !hasUpstreamFinalizer(object, reconciler);
    const isUpstreams = reconciler.upstream !== undefined && caches.fieldRecord.reporterOf(object) !== undefined;
    return isUpstreams && !isAdopting(adopt);
  }

  /** Whether an administrator wants to read what a take-over would do; also while the other operator still runs. */
  #isPlanned(reconciler: AnyReconciler, object: KubeObject): boolean {
    const { adopt, caches } = this.#options;
    if (adopt !== "plan" || isDeleting(object) || reconciler.upstream === undefined) return false;
    return caches.fieldRecord.reporterOf(object) !== undefined;
  }

  /** Reports what a take-over would do, as an Event of the object and in the log, each plan once. */
  #plan(reader: string, reconciler: AnyReconciler, object: KubeObject): void {
    const { clock, dependants, log, passes, plans, recorder } = this.#options;
    const pass = passes.run(reconciler, object, clock.now());
    dependants.record(reader, pass.reads, pass.compared);
    if (pass.decision.do !== "converge") return;
    const steps = planTakeOver(this.#contextOf(reader, reconciler, object), pass.decision);
    const note = plans.note(reader, describeChild(reconciler.kind, readerRef(reader).ref), steps);
    if (note === undefined) return;
    recorder.announce(reconciler.name, object, note);
    log.info({ reader, plan: steps }, "planned a take-over; nothing is changed with --adopt=plan");
  }

  async #pass(context: WriteContext): Promise<void> {
    const { metrics, observations, passes } = this.#options;
    const { object, reader, reconciler, report } = context;
    const began = performance.now();
    const took = (): number => (performance.now() - began) / 1000;
    try {
      // Only finalizers of the upstream operator are left.
      if (isDeleting(object) && !hasFinalizer(object, reconciler.finalizer))
        return await this.#carryOut(context, { do: "release" });
      const observed = passes.observe(reconciler, object);
      if (this.#isUnchanged(context, observed)) return metrics.unchanged(reconciler.name);
      observations.begin(reader);
      const isSettled = await this.#decide(context, observed);
      if (!isSettled) observations.forget(reader);
      metrics.pass(reconciler.name, report.writes > 0 ? "written" : "quiet", took());
    } catch (error) {
      observations.forget(reader);
      metrics.pass(reconciler.name, "failed", took());
      this.#retry(context, error);
    }
  }

  /** Where the last pass would be repeated, only what it read and when it looks again are brought up to date. */
  #isUnchanged({ object, reader, reconciler, now }: WriteContext, { observed, reads }: Observed): boolean {
    const { dependants, observations, passes, queue } = this.#options;
    const { recalls } = reconciler;
    const observe = (before: KubeObject): unknown => passes.observe(reconciler, before).observed;
    const last = observations.unchanged(reader, { object, observed, now, recalls, observe });
    if (last === undefined) return false;
    dependants.record(reader, reads);
    if (Number.isFinite(last.until)) queue().addAfter(reader, last.until - now);
    return true;
  }

  /** Returns whether a pass that observes the same would have nothing to do. */
  async #decide(context: WriteContext, observed: Observed): Promise<boolean> {
    const { dependants, observations, passes } = this.#options;
    const { object, reader, reconciler, report, now } = context;
    const pass = passes.decide(reconciler, object, { ...observed, now });
    dependants.record(reader, pass.reads, pass.compared);
    await this.#carryOut(context, pass.decision);
    const isSettled = report.isQuiet || (reconciler.recalls !== undefined && report.isOfStatusAlone);
    if (isSettled) observations.settle(reader, object, pass, { now, written: report.statusVersion });
    return isSettled;
  }

  async #carryOut(context: WriteContext, decision: Decision<unknown>): Promise<void> {
    const { recorder } = this.#options;
    const { object, reader, reconciler, report } = context;
    const notes = await carryOut(context, decision);
    recorder.tell(reader, reconciler.name, object, { notes, hasChanged: report.changes > 0 });
    for (const events of report.events) recorder.announce(reconciler.name, events.object, events.note);
    const [failure] = report.failures;
    if (failure !== undefined) throw failure;
    const queue = this.#options.queue();
    queue.succeed(reader);
    if (report.pause !== undefined) queue.addAfter(reader, report.pause);
    if (report.isStatusDue) queue.add(reader);
    else if (decision.do !== "release" && decision.recheckIn !== undefined) queue.addAfter(reader, decision.recheckIn);
  }

  #retry(context: WriteContext, error: unknown): void {
    const { reader } = context;
    const delay = this.#options.queue().addAfterFailure(reader);
    const fields = { reader, retryInMs: delay, err: error };
    if (isMoved(error)) this.#options.log.debug(fields, "the object changed during the pass; retrying");
    else if (isRefused(context, error)) this.#options.log.warn(fields, "the API server rejected an object; retrying");
    else this.#options.log.error(fields, "the pass failed; retrying");
  }

  #oneOf(reader: string): string {
    const known = this.#readers.get(reader);
    if (known !== undefined) return known;
    this.#readers.set(reader, reader);
    return reader;
  }

  #forget(reader: string): void {
    this.#readers.delete(reader);
    const { dependants, memory, observations, plans, recorder } = this.#options;
    dependants.forget(reader);
    plans.forget(reader);
    this.#contests.forget(reader);
    observations.forget(reader);
    memory.forget(reader);
    recorder.forget(reader);
    this.#options.queue().forget(reader);
  }

  #contextOf(reader: string, reconciler: AnyReconciler, object: KubeObject): WriteContext {
    const { adopt, caches, client: plain, clock, memory, podSecurityLevel, release } = this.#options;
    const client = this.#clients.get(reconciler.name) ?? plain;
    const [contests, now, report] = [this.#contests, clock.now(), new Report()];
    const fixed = { caches, memory, podSecurityLevel, release, adopt, contests };
    return { ...fixed, reader, reconciler, object, client, now, report };
  }
}

/** The server said no to what a person wrote: the status tells it, and it is no fault of this process. */
const isRefused = ({ report }: WriteContext, error: unknown): boolean =>
  report.failures[0] === error && report.refusals.length >= report.failures.length;

/** The cache was behind: what was to be written meant an object that is another one by now. */
function isMoved(error: unknown): boolean {
  if (isReason(error, "Conflict", "NotFound")) return true;
  return error instanceof Error && error.cause !== undefined && isMoved(error.cause);
}
