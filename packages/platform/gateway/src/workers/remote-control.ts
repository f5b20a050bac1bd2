import { type Backend, formatBackend } from "@trivium/domain";
import type { Target } from "../upstream/target.ts";
import type { ControlParts, WakingControl } from "../waking/control.ts";
import { Departures } from "../waking/departures.ts";
import type { Activity, Closing, LeadCalls } from "./calls.ts";

/** What a worker asks the lead for. */
export interface Lead {
  call<N extends "wake" | "freeSpace">(name: N, input: LeadCalls[N]["input"]): Promise<LeadCalls[N]["output"]>;
}

/** The control of a worker: the lead decides for all workers at once. */
export class RemoteControl implements WakingControl {
  readonly #parts: ControlParts;
  readonly #lead: Lead;
  readonly #departures: Departures;
  /** What the lead last said about capacity for a backend, and whether it is being asked. */
  readonly #space = new Map<string, { answer: "making" | "nobody"; isAsking: boolean }>();
  /** The lead notes what Services list. */
  readonly memory = { keep: () => {} };

  constructor(parts: ControlParts, lead: Lead) {
    this.#parts = parts;
    this.#lead = lead;
    this.#departures = new Departures(parts);
  }

  async start(): Promise<void> {}

  async wake(workload: LeadCalls["wake"]["input"]): Promise<void> {
    await this.#lead.call("wake", workload);
  }

  /** Hopeful until the lead has answered; its answer is a reason to look again. */
  freeSpace({ backend }: Target): "making" | "nobody" {
    const key = formatBackend(backend);
    const known = this.#space.get(key) ?? { answer: "making", isAsking: false };
    this.#space.set(key, known);
    if (!known.isAsking) void this.#askForSpace(backend, known);
    return known.answer;
  }

  async #askForSpace(backend: Backend, known: { answer: "making" | "nobody"; isAsking: boolean }): Promise<void> {
    known.isAsking = true;
    const before = known.answer;
    try {
      known.answer = await this.#lead.call("freeSpace", backend);
    } catch {
      known.answer = "nobody";
    }
    known.isAsking = false;
    if (known.answer !== before) this.#parts.onChange();
  }

  review(): void {
    this.#departures.review();
  }

  stop(): void {
    this.#departures.stop();
  }

  async close(): Promise<void> {}

  // For the lead.

  activity(): Activity[] {
    return [...this.#parts.targets.all()].map(({ backend, requests, lastUsed }) => ({ backend, requests, lastUsed }));
  }

  closeTargets({ key, backends }: Closing): boolean {
    const { targets, view } = this.#parts;
    const closing = backends.map((backend) => targets.of(backend));
    if (closing.some(({ requests }) => requests > 0)) return false;
    const workloads = backends.flatMap((backend) => view.workloads(backend));
    this.#departures.begin(key, workloads, closing, undefined);
    return true;
  }

  openTargets(key: string): void {
    this.#departures.cancel(key);
    this.#parts.onChange();
  }
}
