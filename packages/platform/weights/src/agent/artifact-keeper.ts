import type { ArtifactReport, SecretVariable, WantedArtifact } from "@trivium/domain";
import { deepEqual, type Instant, type Millis } from "@trivium/std";
import { WeightsError } from "../fault.ts";
import type { Store } from "../store/store.ts";
import type { Progress } from "../transfer/meter.ts";
import { type BringingPlace, bring, checkPresent, discard, findWhole, readFiles } from "./keep-artifact.ts";

export interface KeeperOptions {
  readonly store: Store;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Where a folder that pods name really is; throws with a sentence for people when it may not be used so. Files are put into folders that
   * are `filled`, and removed from there.
   */
  folderOf(path: string, use: "filled" | "read"): Promise<string>;
  /** The value of a Secret's entry; nothing when it is not there. */
  secretOf(secret: SecretVariable): Promise<string | undefined>;
  onReport(report: ArtifactReport): void;
  /** Told when the files are gone, or were left where they are, and nothing more is to be said of them. */
  onGone(key: string): void;
  onTrouble(what: string, error: unknown): void;
  readonly now: () => Instant;
  schedule(delay: Millis, run: () => void): () => void;
  /** How many are worked at together. */
  readonly lanes?: number;
  readonly retry?: { readonly first: Millis; readonly longest: Millis };
}

const usualRetry = { first: 5_000, longest: 300_000 };
const progressEvery: Millis = 5_000;

/** One wish and how far it is. */
interface Course {
  wanted: WantedArtifact;
  /** A wish before it that was other, whose files have to go first. */
  outdated: WantedArtifact | undefined;
  /** Ends what is under way for it. */
  stop: AbortController;
  failures: number;
  cancelRetry: (() => void) | undefined;
  isQueued: boolean;
  isRunning: boolean;
  isLeaving: boolean;
}

/** Holds on this machine what is wanted here: fetches, verifies, reads, tries again after failures, and clears away. */
export class ArtifactKeeper {
  readonly #options: KeeperOptions;
  readonly #courses = new Map<string, Course>();
  readonly #queue: string[] = [];
  #running = 0;
  #isStopped = false;
  #whenQuiet: (() => void)[] = [];

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** All that is wanted from now on. What is not in it any more is cleared away. */
  want(all: readonly WantedArtifact[]): void {
    const wanted = new Map(all.map((one) => [one.key, one]));
    for (const [key, course] of this.#courses) if (!wanted.has(key)) this.#leave(course);
    for (const one of wanted.values()) this.#see(one);
  }

  /** Clears away what a keeper before this one may have left: it was held and is not wanted. */
  release(wanted: WantedArtifact): void {
    if (this.#courses.has(wanted.key)) return;
    this.#leave(this.#add(wanted));
  }

  /** Ends what is under way and leaves all files as they are. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const course of this.#courses.values()) {
      course.cancelRetry?.();
      course.stop.abort();
    }
    await this.settled();
  }

  /** Resolves when nothing is under way. */
  settled(): Promise<void> {
    if (this.#running === 0 && (this.#isStopped || this.#queue.length === 0)) return Promise.resolve();
    return new Promise((resolve) => this.#whenQuiet.push(resolve));
  }

  #see(wanted: WantedArtifact): void {
    const course = this.#courses.get(wanted.key);
    if (course === undefined) {
      this.#enqueue(this.#add(wanted));
      return;
    }
    const isSame = !course.isLeaving && deepEqual(course.wanted, wanted);
    if (isSame) return;
    const isOther = course.isLeaving || !isSameWork(course.wanted, wanted);
    if (isOther && !course.isLeaving) course.outdated ??= course.wanted;
    course.wanted = wanted;
    course.isLeaving = false;
    if (!isOther) return;
    this.#options.onReport({ key: wanted.key, is: "updating" });
    this.#restart(course);
  }

  #leave(course: Course): void {
    if (course.isLeaving) return;
    course.isLeaving = true;
    this.#restart(course);
  }

  #add(wanted: WantedArtifact): Course {
    const course: Course = {
      wanted,
      outdated: undefined,
      stop: new AbortController(),
      failures: 0,
      cancelRetry: undefined,
      isQueued: false,
      isRunning: false,
      isLeaving: false,
    };
    this.#courses.set(wanted.key, course);
    return course;
  }

  /** What is under way ends first; the course is taken up again then. */
  #restart(course: Course): void {
    course.cancelRetry?.();
    course.failures = 0;
    course.stop.abort();
    course.stop = new AbortController();
    this.#enqueue(course);
  }

  #enqueue(course: Course): void {
    course.cancelRetry = undefined;
    if (course.isQueued || this.#isStopped) return;
    course.isQueued = true;
    this.#queue.push(course.wanted.key);
    this.#advance();
  }

  #advance(): void {
    const { lanes = 2 } = this.#options;
    for (let at = 0; at < this.#queue.length && this.#running < lanes && !this.#isStopped; ) {
      const course = this.#courses.get(this.#queue[at] as string);
      if (course?.isRunning === true) {
        at++;
        continue;
      }
      this.#queue.splice(at, 1);
      if (course !== undefined) void this.#run(course);
    }
    if (this.#running === 0 && (this.#isStopped || this.#queue.length === 0))
      for (const resolve of this.#whenQuiet.splice(0)) resolve();
  }

  async #run(course: Course): Promise<void> {
    const { signal } = course.stop;
    const { wanted } = course;
    const { key } = wanted;
    course.isQueued = false;
    course.isRunning = true;
    this.#running++;
    try {
      if (course.isLeaving) await this.#clear(course);
      else {
        await this.#replaceOutdated(course);
        await this.#hold(wanted, signal);
      }
      course.failures = 0;
    } catch (error) {
      if (!signal.aborted) this.#fail(course, error);
    } finally {
      course.isRunning = false;
      this.#running--;
      if (course.isLeaving && !course.isQueued && course.cancelRetry === undefined) this.#courses.delete(key);
      this.#advance();
    }
  }

  async #hold(wanted: WantedArtifact, signal: AbortSignal): Promise<void> {
    const { key, source, path } = wanted;
    const { onReport, folderOf } = this.#options;
    if (source.is === "refused") {
      onReport({ key, is: "failed", why: source.why });
      return;
    }
    if (source.is === "elsewhere") {
      onReport({ key, is: "ready" });
      return;
    }
    const folder = await folderOf(path, source.is === "fetched" ? "filled" : "read");
    const environment = { ...this.#options.environment, ...wanted.settings, ...(await this.#secret(wanted)) };
    if (source.is === "present") await checkPresent(folder, path);
    else await this.#bring({ ...wanted, source }, this.#placeOf(wanted, { folder, environment, signal }));
    const read = wanted.reading === "headers" ? await readFiles(folder, { environment, signal }) : undefined;
    if (!signal.aborted) onReport({ key, is: "ready", ...(read === undefined ? {} : { read }) });
  }

  /** A whole copy stays ready without a word; only what must be fetched is under way. */
  async #bring(
    wanted: WantedArtifact & { readonly source: { readonly is: "fetched"; readonly uri: string } },
    place: BringingPlace,
  ): Promise<void> {
    if (await findWhole(wanted, place)) return;
    if (!place.signal.aborted) this.#options.onReport({ key: wanted.key, is: "updating" });
    await bring(wanted, place);
  }

  #placeOf({ key }: WantedArtifact, around: Pick<BringingPlace, "folder" | "environment" | "signal">): BringingPlace {
    const { store, now, onReport } = this.#options;
    let told = Number.NEGATIVE_INFINITY;
    const onProgress = ({ bytes, total = 0, rate }: Progress): void => {
      const at = now();
      if (at - told < progressEvery || around.signal.aborted) return;
      told = at;
      onReport({ key, is: "updating", progress: { bytes, total, rate, at } });
    };
    return { store, onProgress, ...around };
  }

  async #secret({ secret }: WantedArtifact): Promise<Record<string, string>> {
    if (secret === undefined) return {};
    const value = await this.#options.secretOf(secret);
    if (value !== undefined) return { [secret.variable]: value };
    const message = `Secret ${secret.name} of namespace ${secret.namespace} has no entry ${secret.key}; create it`;
    throw new WeightsError("not-allowed", "AccessDenied", message);
  }

  /** Files of another source must not lie among those that come. */
  async #replaceOutdated(course: Course): Promise<void> {
    const { outdated, wanted } = course;
    if (outdated === undefined) return;
    const isElsewhere = outdated.path !== wanted.path || !deepEqual(outdated.source, wanted.source);
    if (isElsewhere) await this.#remove(outdated);
    course.outdated = undefined;
  }

  async #clear({ wanted, outdated }: Course): Promise<void> {
    if (outdated !== undefined) await this.#remove(outdated);
    await this.#remove(wanted);
    this.#options.onGone(wanted.key);
  }

  /** Unless they are to be kept, or are another's too. */
  async #remove({ key, source, path, afterwards }: WantedArtifact): Promise<void> {
    const isShared = [...this.#courses.values()].some(
      (other) => other.wanted.key !== key && !other.isLeaving && overlaps(other.wanted.path, path),
    );
    if (source.is !== "fetched" || afterwards === "keep" || isShared) return;
    // A folder that may not be used was never filled.
    const folder = await this.#options.folderOf(path, "filled").catch(() => undefined);
    if (folder !== undefined) await discard(this.#options.store, folder);
  }

  #fail(course: Course, error: unknown): void {
    const { onReport, onTrouble, schedule, retry = usualRetry } = this.#options;
    const { key } = course.wanted;
    if (!(error instanceof WeightsError)) onTrouble(`holding ${key}`, error);
    const why = error instanceof Error ? error.message : String(error);
    if (!course.isLeaving) onReport({ key, is: "failed", why });
    course.failures++;
    const pause = Math.min(retry.longest, retry.first * 2 ** (course.failures - 1));
    course.cancelRetry = schedule(pause, () => this.#enqueue(course));
  }
}

/** What is done with the files in the end changes nothing now. */
function isSameWork(a: WantedArtifact, b: WantedArtifact): boolean {
  const { afterwards: _, ...ours } = a;
  const { afterwards: __, ...theirs } = b;
  return deepEqual(ours, theirs);
}

/** Whether one folder is the other or lies in it. */
const overlaps = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
