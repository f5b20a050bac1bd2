import { isReason, type KubeClient, type KubeObject, type PodSecurityLevel } from "@trivium/kube";
import type { AnyReconciler, Decision } from "@trivium/reconcile";
import type { Caches } from "./caches.ts";
import { carryOut } from "./carry-out.ts";
import type { Clock } from "./clock.ts";
import type { Dependants } from "./dependants.ts";
import type { EventRecorder } from "./events.ts";
import { hasFinalizer, isDeleting } from "./finalizer.ts";
import type { Log } from "./log.ts";
import type { Memory } from "./memory.ts";
import { meteredClient } from "./metered.ts";
import type { Metrics } from "./metrics.ts";
import type { Passes } from "./pass.ts";
import type { Outcome, Queue } from "./queue.ts";
import { readerRef } from "./reader.ts";
import { Report } from "./report.ts";
import { settled } from "./settle.ts";
import type { WriteContext } from "./write-context.ts";

export interface WorkerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly caches: Caches;
  readonly dependants: Dependants;
  readonly memory: Memory;
  readonly metrics: Metrics;
  readonly passes: Passes;
  readonly recorder: EventRecorder;
  readonly podSecurityLevel: PodSecurityLevel;
  readonly reconcilers: ReadonlyMap<string, AnyReconciler>;
  readonly queue: () => Queue;
  /** When the caches stop following the server. */
  readonly stopping: AbortSignal;
}

/** Takes a key from the queue to its end: a pass, the writes that follow from it, and when to look again. */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #clients = new Map<string, KubeClient>();

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

  async work(reader: string): Promise<Outcome> {
    const { reconciler: name, ref } = readerRef(reader);
    const reconciler = this.#options.reconcilers.get(name) as AnyReconciler;
    const object = this.#options.caches.of<KubeObject>(reconciler.kind).get(ref);
    // With the last finalizer of ours the object is no more our concern, even while others hold it.
    if (object === undefined || (isDeleting(object) && !hasFinalizer(object, reconciler.finalizer))) {
      this.#forget(reader);
      return {};
    }
    return this.#pass(this.#contextOf(reader, reconciler, object));
  }

  async #pass(context: WriteContext): Promise<Outcome> {
    const { clock, dependants, metrics, passes, stopping } = this.#options;
    const { object, reader, reconciler, report } = context;
    const began = performance.now();
    try {
      const { decision, reads } = passes.run(reconciler, object, context.now);
      dependants.record(reader, reads);
      await this.#carryOut(context, decision);
      metrics.pass(reconciler.name, report.writes > 0 ? "written" : "quiet", (performance.now() - began) / 1000);
    } catch (error) {
      metrics.pass(reconciler.name, "failed", (performance.now() - began) / 1000);
      this.#retry(context, error);
    }
    return { settled: settled(report.settling, clock, stopping) };
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

  #forget(reader: string): void {
    const { dependants, memory, recorder } = this.#options;
    dependants.forget(reader);
    memory.forget(reader);
    recorder.forget(reader);
    this.#options.queue().forget(reader);
  }

  #contextOf(reader: string, reconciler: AnyReconciler, object: KubeObject): WriteContext {
    const { caches, client: plain, clock, memory, podSecurityLevel } = this.#options;
    const client = this.#clients.get(reconciler.name) ?? plain;
    const [now, report] = [clock.now(), new Report()];
    return { reader, reconciler, object, client, caches, memory, podSecurityLevel, now, report };
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
