import {
  groupResourceOf,
  type Kind,
  type KubeClient,
  type KubeObject,
  Namespace,
  type PodSecurityLevel,
  type Ref,
} from "@trivium/kube";
import type { Answered, AnyAdmission, AnyReconciler } from "@trivium/reconcile";
import { Registry } from "prom-client";
import { Admitter, kindsReadBy } from "./admission/admit.ts";
import { PlanReport } from "./adopt/plan-report.ts";
import { TakeOverPlans } from "./adopt/plans.ts";
import type { AdoptPolicy } from "./adopt/policy.ts";
import { EventRecorder } from "./apply/events.ts";
import { FieldRecord } from "./apply/field-record.ts";
import { Memory } from "./apply/memory.ts";
import { patchManagerOf } from "./apply/patch.ts";
import type { Random } from "./backoff.ts";
import { AbsentKinds } from "./caches/absent-kinds.ts";
import type { Change } from "./caches/cache.ts";
import { Caches } from "./caches/caches.ts";
import { Dependants } from "./caches/dependants.ts";
import { answerSecrets, followedKinds } from "./caches/looked-up.ts";
import { inOrderOfStart } from "./caches/order-of-start.ts";
import { readerId, readerRef } from "./caches/reader.ts";
import { answerOfToken, answerToken } from "./caches/reads.ts";
import { type Clock, systemClock } from "./clock.ts";
import { LeaderElection } from "./leader.ts";
import { type Log, silentLog } from "./log.ts";
import { Metrics } from "./metrics/metrics.ts";
import { isOfStatusOnly, Observations } from "./observations.ts";
import { noPace, type Pace } from "./pace.ts";
import { type Pass, Passes } from "./pass.ts";
import { Prober } from "./prober.ts";
import { Queue } from "./queue.ts";
import { Worker } from "./worker.ts";

export interface RuntimeOptions {
  readonly client: KubeClient;
  readonly reconcilers: readonly AnyReconciler[];
  readonly admissions?: readonly AnyAdmission[];
  readonly answers?: readonly Answered[];
  /** Work only while holding this Lease; always when left out. */
  readonly lease?: { readonly namespace: string; readonly name: string };
  /** This process among its peers: holder of the Lease, reporter of Events. */
  readonly identity?: string;
  /** Pods of children are held to this level, or to that of their namespace where it is stricter; to that alone when left out. */
  readonly podSecurityLevel?: PodSecurityLevel;
  /** What this process runs: its version and options. Pods that another release rendered are kept; always this one's when left out. */
  readonly release?: string;
  /** What happens to objects that another operator of the same API has made; what restarts no pod when left out. */
  readonly adopt?: AdoptPolicy;
  /** The namespace of the ConfigMap with the plan, where the policy is to plan; there is none when left out. */
  readonly planNamespace?: string;
  /** How many objects are worked on at a time. */
  readonly concurrency?: number;
  /** How long an object rests after a pass; not at all when left out. */
  readonly pace?: Pace;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Log;
  readonly registry?: Registry;
  /** Receives failures to fill the caches, which are retried; without it, a start rejects where a kind is not allowed to be read. */
  readonly onUnsynced?: (error: unknown) => void;
}

export interface Runtime {
  /** Resolves when all caches are filled. Passes of a reconciler begin once the kinds that it reads are, and this process leads. */
  start(): Promise<void>;
  /** No new passes, those in flight finish, then the Lease is given back. */
  stop(): Promise<void>;
  /** Resolves when nothing is queued, in flight or settling. What is planned for later does not count. */
  whenIdle(): Promise<void>;
  /** Looks and decides without writing anything: what the reconciler would do now, and why. */
  explain(reconciler: string, ref: Ref): Pass | undefined;
  readonly caches: Caches;
  readonly registry: Registry;
  /** These reconcilers rest: another operator works on their objects. Those that were named before and are not now go on. */
  rest(reconcilers: ReadonlySet<string>): void;
  /** Says what the admissions say, whether this process leads or not. */
  readonly admitter: Admitter;
  isLeader(): boolean;
}

export function createRuntime(options: RuntimeOptions): Runtime {
  return new RuntimeParts(options);
}

/** The parts and how they are joined; each part is in its own file. */
class RuntimeParts implements Runtime {
  readonly caches: Caches;
  readonly registry: Registry;
  readonly admitter: Admitter;
  readonly #options: RuntimeOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #byName: ReadonlyMap<string, AnyReconciler>;
  readonly #byResource: ReadonlyMap<string, AnyReconciler[]>;
  readonly #dependants = new Dependants((token) => this.#releaseAnswer(token));
  readonly #memory = new Memory();
  readonly #observations = new Observations();
  readonly #plans = new TakeOverPlans(() => this.#planReport?.change());
  readonly #planReport: PlanReport | undefined;
  readonly #compared: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #metrics: Metrics;
  readonly #prober: Prober;
  readonly #passes: Passes;
  readonly #recorder: EventRecorder;
  readonly #queue: Queue;
  readonly #election: LeaderElection | undefined;
  readonly #stopping = new AbortController();
  #reflecting: Promise<void>[] = [];
  /** Reconcilers of which every kind was listed whole. */
  readonly #begun = new Set<string>();
  #isCompeting = false;
  #resting: ReadonlySet<string> = new Set();

  constructor(options: RuntimeOptions) {
    const { client, reconcilers, admissions = [], answers = [] } = options;
    const { clock = systemClock, random = Math.random, log = silentLog } = options;
    this.#options = options;
    this.#clock = clock;
    this.#log = log;
    this.#byName = indexByName(reconcilers);
    this.#byResource = Map.groupBy(reconcilers, ({ kind }) => groupResourceOf(kind));
    const names = [...this.#byName.values()].flatMap(({ name, formerNames = [] }) => [name, ...formerNames]);
    const upstream = reconcilers.flatMap((reconciler) => reconciler.upstream?.managers ?? []);
    const fieldRecord = new FieldRecord(
      names.flatMap((name) => [name, patchManagerOf(name)]),
      upstream,
    );
    const { planNamespace } = options;
    if (planNamespace !== undefined)
      this.#planReport = new PlanReport({ client, clock, log, namespace: planNamespace, plans: this.#plans });
    this.#compared = new Map(reconcilers.map((reconciler) => [reconciler.name, comparedBy(reconciler)]));
    const kinds = followedKinds(inOrderOfStart(reconcilers));
    const looked = kindsReadBy(admissions);
    this.caches = new Caches([...kinds, ...looked], fieldRecord, (change) => this.#wakeFor(change));
    this.admitter = new Admitter(admissions, this.caches);
    this.registry = options.registry ?? new Registry();
    this.#metrics = new Metrics(this.registry, this);
    this.#prober = new Prober({
      clock,
      random,
      answers: [...answers, answerSecrets(client)] as readonly Answered[],
      isWanted: (key) => this.#dependants.isRead(answerToken(key)),
      onAnswer: (key) => this.#wakeReaders(answerToken(key)),
    });
    this.#passes = new Passes(this.caches, this.#prober);
    const onError = (error: unknown) => log.warn({ err: error }, "cannot create an Event");
    const instance = options.identity ?? "trivium";
    this.#recorder = new EventRecorder({ client, now: () => clock.now(), instance, onError });
    const worker = new Worker({
      client,
      clock,
      log,
      caches: this.caches,
      dependants: this.#dependants,
      memory: this.#memory,
      metrics: this.#metrics,
      observations: this.#observations,
      pace: options.pace ?? noPace,
      passes: this.#passes,
      recorder: this.#recorder,
      podSecurityLevel: options.podSecurityLevel ?? "privileged",
      release: options.release,
      adopt: options.adopt ?? "safe",
      plans: this.#plans,
      reconcilers: this.#byName,
      isResting: (name) => this.#resting.has(name),
      queue: () => this.#queue,
      stopping: this.#stopping.signal,
    });
    this.#queue = new Queue({ clock, random, concurrency: options.concurrency ?? 16, run: (key) => worker.work(key) });
    this.#election = this.#prepareElection(random);
  }

  async start(): Promise<void> {
    const { client, random = Math.random, onUnsynced } = this.#options;
    const absent = new AbsentKinds({ client, clock: this.#clock, random });
    const optionsFor = (kind: Kind) => {
      const resource = groupResourceOf(kind);
      return {
        client,
        clock: this.#clock,
        random,
        whenServed: (missing: Kind, signal: AbortSignal) => absent.whenServed(missing, signal),
        onRestart: (how: "list" | "watch") => this.#metrics.restart(resource, how),
        onError: (error: unknown) => this.#log.warn({ resource, err: error }, "watch failed; restarting it"),
      };
    };
    const beginning = [...this.#byName.values()].map((reconciler) => this.#begin(reconciler));
    this.#reflecting = await this.caches.start(optionsFor, this.#stopping.signal, onUnsynced);
    if (this.#stopping.signal.aborted) return;
    await Promise.all(beginning);
    this.#compete();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#queue.stop();
    this.#prober.stop();
    await this.#planReport?.stop();
    await this.#recorder.flush();
    await this.#election?.stop();
    await Promise.all(this.#reflecting);
  }

  whenIdle(): Promise<void> {
    return this.#queue.whenIdle();
  }

  explain(name: string, ref: Ref): Pass | undefined {
    const reconciler = this.#byName.get(name);
    const object = reconciler && this.caches.of<KubeObject>(reconciler.kind).get(ref);
    return object && this.#passes.run(reconciler, object, this.#clock.now());
  }

  rest(reconcilers: ReadonlySet<string>): void {
    const before = this.#resting;
    this.#resting = reconcilers;
    for (const reconciler of this.#byName.values()) {
      if (before.has(reconciler.name) && !reconcilers.has(reconciler.name)) this.#wakeAll(reconciler);
    }
  }

  isLeader(): boolean {
    return this.#election === undefined || this.#election.isLeader;
  }

  waiting(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>([...this.#byName.keys()].map((name) => [name, 0]));
    for (const key of this.#queue.waiting()) {
      const { reconciler } = readerRef(key);
      counts.set(reconciler, (counts.get(reconciler) ?? 0) + 1);
    }
    return counts;
  }

  cached(): ReadonlyMap<string, number> {
    return new Map([...this.caches.all()].map((cache) => [groupResourceOf(cache.kind), cache.size]));
  }

  planned(): ReturnType<TakeOverPlans["counts"]> {
    return this.#plans.counts();
  }

  /** What a reconciler reads and writes must have been listed whole, and no other kind: a definition that is slow to load delays its own readers. */
  async #begin(reconciler: AnyReconciler): Promise<void> {
    await this.caches.whenListed(followedKinds([reconciler]));
    if (this.#stopping.signal.aborted) return;
    this.#begun.add(reconciler.name);
    this.#compete();
    this.#wakeAll(reconciler);
  }

  #compete(): void {
    if (this.#isCompeting) return;
    this.#isCompeting = true;
    if (this.#election === undefined) this.#lead();
    else this.#election.start();
  }

  #prepareElection(random: Random): LeaderElection | undefined {
    const { client, lease, identity } = this.#options;
    if (lease === undefined) return undefined;
    if (identity === undefined) throw new Error("leader election needs an identity of this process");
    return new LeaderElection({
      client,
      random,
      identity,
      ...lease,
      clock: this.#clock,
      onLead: () => this.#lead(),
      onLose: () => this.#follow(),
      onError: (error) => this.#log.warn({ err: error }, "cannot read or renew the Lease"),
    });
  }

  #lead(): void {
    if (this.#options.adopt === "plan") this.#planReport?.change();
    else this.#planReport?.remove();
    for (const reconciler of this.#byName.values()) this.#wakeAll(reconciler);
    this.#queue.start();
  }

  #wakeAll(reconciler: AnyReconciler): void {
    for (const object of this.caches.of(reconciler.kind as Kind).values()) this.#wake(reconciler, object);
  }

  #follow(): void {
    this.#log.warn({}, "another process is the leader now; reconciling stops here");
    void this.#queue.stop().then(() => {
      if (this.isLeader()) return;
      this.#dependants.clear();
      this.#observations.clear();
    });
  }

  #wakeFor(change: Change): void {
    const object = (change.next ?? change.old) as KubeObject;
    for (const reconciler of this.#byResource.get(groupResourceOf(change.kind)) ?? []) {
      this.#wake(reconciler, object);
    }
    let isHarmless: boolean | undefined;
    for (const reader of this.#dependants.touchedBy(change)) {
      // What others undo is applied again, which no observation shows.
      if (this.#isComparedBy(reader, change.kind)) {
        isHarmless ??= isOfStatusOnly(change);
        if (!isHarmless) this.#observations.forget(reader);
      }
      this.#queue.add(reader);
    }
  }

  #isComparedBy(reader: string, kind: Kind): boolean {
    return this.#compared.get(readerRef(reader).reconciler)?.has(groupResourceOf(kind)) ?? false;
  }

  #wake(reconciler: AnyReconciler, object: KubeObject): void {
    if (!this.#begun.has(reconciler.name)) return;
    const { name, namespace } = object.metadata;
    const { only } = reconciler;
    const isMeant = only === undefined || (only.name === name && only.namespace === namespace);
    if (isMeant) this.#queue.add(readerId(reconciler, object));
  }

  #releaseAnswer(token: string): void {
    const key = answerOfToken(token);
    if (key !== undefined) this.#prober.release(key);
  }

  #wakeReaders(token: string): void {
    for (const reader of [...this.#dependants.readersOf(token)]) this.#queue.add(reader);
  }
}

/** Kinds that carrying out a decision compares with: what it writes, and the levels of namespaces. */
function comparedBy({ writes, patches = [] }: AnyReconciler): ReadonlySet<string> {
  return new Set([...writes, ...patches.map(({ kind }) => kind), Namespace].map((kind) => groupResourceOf(kind)));
}

function indexByName(reconcilers: readonly AnyReconciler[]): ReadonlyMap<string, AnyReconciler> {
  const byName = new Map<string, AnyReconciler>();
  for (const reconciler of reconcilers) {
    if (byName.has(reconciler.name)) throw new Error(`two reconcilers have the name ${reconciler.name}`);
    if (!/^[a-z0-9.-]+$/.test(reconciler.name))
      throw new Error(`"${reconciler.name}" is not a valid name of a reconciler`);
    byName.set(reconciler.name, reconciler);
  }
  return byName;
}
