import cluster, { type Worker } from "node:cluster";
import type { Log } from "@trivium/runtime";
import type { Activity, Closing, LeadCalls, WorkerCalls } from "./calls.ts";
import type { Workers } from "./lead.ts";
import { type Handlers, Line } from "./line.ts";

export interface CrewOptions {
  readonly count: number;
  readonly port: number;
  readonly log: Log;
  readonly wake: Handlers<LeadCalls>["wake"];
  readonly freeSpace: Handlers<LeadCalls>["freeSpace"];
}

/** What a worker finds in its environment under this name. */
export const placeVariable = "TRIVIUM_GATEWAY_WORKER";
export interface WorkerPlace {
  readonly workers: number;
  readonly port: number;
}

interface Member {
  readonly worker: Worker;
  readonly line: Line<LeadCalls, WorkerCalls>;
  readonly since: number;
  isReady: boolean;
}

/** A worker that takes longer than this to answer is busy with something else. */
const patience = 5_000;
const firstDelay = 100;
const longestDelay = 10_000;
/** One that ran for so long did not fail because of how it was started. */
const healthyTime = 60_000;

/** The processes that serve. One that exits is replaced; connections of the others go on. */
export class Crew implements Workers {
  readonly #options: CrewOptions;
  readonly #members = new Set<Member>();
  readonly #started = Promise.withResolvers<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** What workers ask for. They share one socket as long as all ask for the same. */
  #port: number;
  #openPort: number | undefined;
  #delay = firstDelay;
  #isStopping = false;
  onExit: ((id: number) => void) | undefined;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#port = options.port;
    cluster.setupPrimary({ args: process.argv.slice(2), stdio: ["ignore", "inherit", "inherit", "ipc"] } as object);
    // A worker whose lead exits before its program runs would print a fault of Node's own.
    process.once("exit", () => {
      for (const { worker, isReady } of this.#members) if (!isReady) worker.process.kill("SIGKILL");
    });
  }

  /** Resolves with the address when all are ready; rejects when one cannot start. */
  start(): Promise<string> {
    for (let at = 0; at < this.#options.count; at++) this.#fork();
    return this.#started.promise;
  }

  get ready(): number {
    return [...this.#members].filter(({ isReady }) => isReady).length;
  }

  async activity(): Promise<readonly (readonly Activity[])[]> {
    return (await this.#askAll("activity", undefined)).map(({ answer }) => answer ?? []);
  }

  /** What one closed is opened again when another has requests. */
  async close(closing: Closing): Promise<boolean> {
    const isIdle = (await this.#askAll("close", closing)).every(({ answer }) => answer === true);
    if (!isIdle) this.open(closing.key);
    return isIdle;
  }

  open(key: string): void {
    void this.#askAll("open", { key });
  }

  async figures(): Promise<ReadonlyMap<number, WorkerCalls["metrics"]["output"]>> {
    const answers = await this.#askAll("metrics", undefined);
    return new Map(answers.flatMap(({ id, answer }) => (answer === undefined ? [] : [[id, answer] as const])));
  }

  /** Resolves when all have exited: by themselves within `grace`, or killed. */
  async stop(grace: number): Promise<void> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const exits = [...this.#members].map(({ worker }) => new Promise((resolve) => worker.once("exit", resolve)));
    for (const { line } of this.#members) line.call("stop", undefined).catch(() => {});
    const kill = setTimeout(() => {
      for (const { worker } of this.#members) worker.process.kill("SIGKILL");
    }, grace);
    await Promise.all(exits);
    clearTimeout(kill);
  }

  async #askAll<N extends "activity" | "close" | "open" | "metrics">(name: N, input: WorkerCalls[N]["input"]) {
    const ready = [...this.#members].filter(({ isReady }) => isReady);
    return Promise.all(
      ready.map(async ({ worker, line }) => ({
        id: worker.id,
        answer: (await line.call(name, input, patience).catch(() => undefined)) as WorkerCalls[N]["output"] | undefined,
      })),
    );
  }

  #fork(): void {
    const place: WorkerPlace = { workers: this.#options.count, port: this.#port };
    // The lifeline is ours: it ends us, and we end the workers.
    const worker = cluster.fork({ [placeVariable]: JSON.stringify(place), TRIVIUM_LIFELINE: "" });
    const { wake, freeSpace } = this.#options;
    const line = new Line<LeadCalls, WorkerCalls>(
      { send: (message) => void worker.send(message, () => {}) },
      {
        ready: async ({ url }) => this.#noteReady(member, url),
        failed: async ({ message }) => this.#started.reject(new Error(message)),
        wake,
        freeSpace,
      },
    );
    const member: Member = { worker, line, since: Date.now(), isReady: false };
    this.#members.add(member);
    worker.on("message", (message: unknown) => line.take(message));
    worker.on("error", () => {});
    worker.on("exit", (code, signal) => this.#noteExit(member, signal ?? code));
  }

  #noteReady(member: Member, url: string): void {
    member.isReady = true;
    this.#openPort = Number(new URL(url).port);
    if (this.ready === this.#options.count) this.#started.resolve(url);
  }

  #noteExit(member: Member, how: number | string): void {
    this.#members.delete(member);
    // The socket goes with the last of them; where any port was wanted, the next ones must get the same.
    if (this.#members.size === 0) this.#port = this.#openPort ?? this.#port;
    member.line.cut();
    this.onExit?.(member.worker.id);
    if (this.#isStopping) return;
    this.#delay = Date.now() - member.since > healthyTime ? firstDelay : Math.min(longestDelay, this.#delay * 2);
    this.#options.log.error({ worker: member.worker.process.pid, exit: how }, "a worker exited; starting another one");
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#fork();
    }, this.#delay);
    this.#timers.add(timer);
  }
}
