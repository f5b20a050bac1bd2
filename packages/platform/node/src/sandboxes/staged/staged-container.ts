import type { Cancel, Clock } from "@trivium/runtime";
import { type Instant, type Millis, sha256Hex } from "@trivium/std";
import type { ContainerEvent, ContainerRun, StartedContainer } from "../../sandbox.ts";
import type { CompiledLife } from "./compile-stages.ts";

const killed = 137;

/** One life, played on a clock. A run that was taken over goes on where it would be by now. */
export class StagedContainer implements StartedContainer {
  readonly #run: ContainerRun;
  readonly #life: CompiledLife;
  readonly #clock: Clock;
  readonly #tell: (event: ContainerEvent) => void;
  readonly #timers = new Set<Cancel>();
  #isRunning: boolean;
  #endsAt: Instant | undefined;

  constructor(run: ContainerRun, life: CompiledLife, clock: Clock, tell: (event: ContainerEvent) => void) {
    this.#run = run;
    this.#life = life;
    this.#clock = clock;
    this.#tell = tell;
    this.#isRunning = run.runningSince !== undefined;
    this.#at(clock.now(), () => (run.runningSince === undefined ? this.#pull() : this.#live(run.runningSince)));
  }

  stop(grace: Millis): void {
    if (!this.#isRunning) {
      this.abandon();
      return;
    }
    const { after, code } = this.#life.stop;
    const at = this.#clock.now() + Math.min(after, grace);
    if (this.#endsAt !== undefined && this.#endsAt <= at) return;
    this.#endsAt = at;
    const isInTime = after <= grace;
    this.#at(at, () => this.#exit(isInTime ? { code } : { code: killed, signal: 9 }, at));
  }

  abandon(): void {
    this.#isRunning = false;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #pull(): void {
    const { pull, pullFailure } = this.#life;
    const image = this.#run.container.image ?? "";
    this.#tell({ is: "pulling" });
    this.#after(pull, () => {
      if (pullFailure === undefined) {
        this.#tell({ is: "pulled", took: pull });
        this.#live(this.#clock.now());
        return;
      }
      const { error = "ErrImagePull", message = `failed to pull and unpack image "${image}": not found` } = pullFailure;
      const meanwhile = /Image/.test(error)
        ? { reason: "ImagePullBackOff", message: `Back-off pulling image "${image}": ${error}: ${message}` }
        : { reason: error, message };
      this.#tell({ is: "refused", reason: error, message, meanwhile });
    });
  }

  #live(since: Instant): void {
    const { startup, ready, probe, log, exit } = this.#life;
    this.#isRunning = true;
    this.#tell({ is: "running", imageId: imageIdOf(this.#run.container.image ?? ""), at: since });
    this.#at(since + startup, () => this.#tell({ is: "started" }));
    if (ready !== "never")
      this.#at(since + Math.max(startup, ready), () => this.#tell({ is: "readiness", isReady: true }));
    if (probe !== undefined)
      this.#at(since + 1_000, () => this.#tell({ is: "note", type: "Warning", reason: "Unhealthy", message: probe }));
    for (const line of log) this.#print(line, since + line.after);
    if (exit === undefined) return;
    const end = since + exit.at;
    this.#endsAt = end;
    this.#at(end, () => this.#exit(exit, end));
  }

  #print(line: CompiledLife["log"][number], at: Instant): void {
    this.#at(at, () => {
      this.#run.log.write(line.text, at);
      // A run that was taken over after a long time does not make up for every line of it.
      const { every } = line;
      if (every === undefined) return;
      const missed = Math.floor((this.#clock.now() - at) / every);
      this.#print(line, at + every * Math.max(1, missed));
    });
  }

  #exit(exit: { code: number; reason?: string; signal?: number; message?: string }, at: Instant): void {
    this.abandon();
    const { code, reason = code === 0 ? "Completed" : "Error", signal, message } = exit;
    this.#tell({ is: "exited", code, at, reason, signal, message });
  }

  #after(delay: Millis, run: () => void): void {
    this.#at(this.#clock.now() + delay, run);
  }

  #at(at: Instant, run: () => void): void {
    const cancel = this.#clock.schedule(Math.max(0, at - this.#clock.now()), () => {
      this.#timers.delete(cancel);
      run();
    });
    this.#timers.add(cancel);
  }
}

const imageIdOf = (image: string): string => `${image.split("@", 1)[0]}@sha256:${sha256Hex(image)}`;
