import type { ArtifactReport, SecretVariables, WantedArtifact } from "@trivium/domain";
import { deepEqual, type Instant, type Millis } from "@trivium/std";
import { WeightsError } from "../fault.ts";
import type { Store } from "../store/store.ts";
import type { AddressRule } from "../transfer/address-guard.ts";
import { createHttpClient, type HttpClient } from "../transfer/http-client.ts";
import type { Progress } from "../transfer/meter.ts";
import { type ArtifactEvent, eventsOfFault, rootOf } from "./artifact-event.ts";
import { ArtifactRecords } from "./artifact-records.ts";
import {
  type Course,
  canMove,
  courseOf,
  findOccupant,
  isDownload,
  isElsewhere,
  isFetched,
  isSameWork,
  overlaps,
  placeOf,
} from "./course.ts";
import { Inventory } from "./inventory.ts";
import { type BringingPlace, bring, checkPresent, discard, findWhole, readFiles } from "./keep-artifact.ts";

export interface ArtifactManagerOptions {
  readonly store: Store;
  /** Where it is written down what was put on this disk. */
  readonly records: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Which addresses sources may lead to: objects of tenants name them. */
  readonly addresses: AddressRule;
  /**
   * Where a folder that pods name really is; throws with a sentence for people when it may not be used so. Files are put into folders that
   * are `filled`, and removed from there.
   */
  folderOf(path: string, use: "filled" | "read"): Promise<string>;
  /** The variables that a Secret gives; throws with a sentence for people when it does not have what must be there. */
  secretsOf(secret: SecretVariables): Promise<Record<string, string>>;
  onReport(report: ArtifactReport): void;
  /** Told when the files are gone, or were left where they are, and nothing more is to be said of them. */
  onGone(key: string): void;
  /** What there is to count. */
  onEvent?(event: ArtifactEvent): void;
  onError(what: string, error: unknown): void;
  readonly now: () => Instant;
  schedule(delay: Millis, run: () => void): () => void;
  /** How many are worked at together. */
  readonly lanes?: number;
  readonly retry?: { readonly first: Millis; readonly longest: Millis };
}

const defaultRetry = { first: 5_000, longest: 300_000 };
const progressEvery: Millis = 5_000;
const quickLanes = 4;
/** Under which the ledger has a folder that is about to be left. */
const movedKey = (key: string): string => `${key} (moved)`;

type Fetched = WantedArtifact & { readonly source: { readonly is: "fetched"; readonly uri: string } };

/** Holds on this machine what is wanted here: fetches, verifies, reads, tries again after failures, and clears away. */
export class ArtifactManager {
  readonly #options: ArtifactManagerOptions;
  readonly #records: ArtifactRecords;
  readonly #inventory: Inventory;
  /** One for all: connections are used again, and certificates are read once. */
  #client: HttpClient | undefined;
  readonly #courses = new Map<string, Course>();
  readonly #queue: string[] = [];
  #running = 0;
  /** Of those that run, the downloads. */
  #slow = 0;
  #isStopped = false;
  #whenQuiet: (() => void)[] = [];

  constructor(options: ArtifactManagerOptions) {
    this.#options = options;
    this.#records = new ArtifactRecords(options.records, options.onError);
    this.#inventory = new Inventory(options.store);
  }

  /**
   * All that is wanted from now on. What is not in it any more is cleared away; so is what a keeper before this one left, unless it is not
   * known yet whether somebody wants it.
   */
  want(all: readonly WantedArtifact[], leftovers: "clear" | "keep" = "clear"): void {
    const wanted = new Map(all.map((one) => [one.key, one]));
    for (const [key, course] of this.#courses) if (!wanted.has(key)) this.#leave(course);
    for (const one of wanted.values()) this.#see(one);
    if (leftovers === "keep") return;
    const moving = new Set(
      [...this.#courses.values()].filter(({ outdated }) => outdated).map(({ wanted: { key } }) => movedKey(key)),
    );
    for (const one of this.#records.all()) if (!wanted.has(one.key) && !moving.has(one.key)) this.release(one);
  }

  /** Clears away what a keeper before this one may have left: it was held and is not wanted. */
  release(wanted: WantedArtifact): void {
    if (this.#courses.has(wanted.key)) return;
    const course = this.#add(wanted);
    // Whoever says that it was held knows better than a ledger that is not there.
    course.place ??= wanted.path;
    this.#leave(course);
  }

  /** Ends what is under way and leaves all files as they are. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const course of this.#courses.values()) {
      course.cancelRetry?.();
      course.stop.abort();
    }
    await this.settled();
    await this.#client?.close();
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
    if (isOther && course.place !== undefined && isElsewhere(course.wanted, wanted)) course.outdated ??= course.wanted;
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
    const course = courseOf(wanted, this.#records.get(wanted.key));
    this.#courses.set(wanted.key, course);
    return course;
  }

  /** What is under way ends first; the course is taken up again then. */
  #restart(course: Course): void {
    course.failures = 0;
    course.isChecked = false;
    course.stop.abort();
    course.stop = new AbortController();
    this.#enqueue(course);
  }

  #enqueue(course: Course): void {
    course.cancelRetry?.();
    course.cancelRetry = undefined;
    course.blockedBy = undefined;
    course.lacksSpace = false;
    if (course.isQueued || this.#isStopped) return;
    course.isQueued = true;
    this.#queue.push(course.wanted.key);
    this.#advance();
  }

  #advance(): void {
    for (let at = 0; at < this.#queue.length && !this.#isStopped; ) {
      const course = this.#courses.get(this.#queue[at] as string);
      if (course !== undefined && (course.isRunning || !this.#hasSpaceFor(course))) {
        at++;
        continue;
      }
      this.#queue.splice(at, 1);
      if (course !== undefined) void this.#run(course);
    }
    if (this.#running === 0 && (this.#isStopped || this.#queue.length === 0))
      for (const resolve of this.#whenQuiet.splice(0)) resolve();
  }

  /** What fetches nothing does not wait behind downloads that may take hours. */
  #hasSpaceFor(course: Course): boolean {
    const { lanes = 2 } = this.#options;
    return isDownload(course) ? this.#slow < lanes : this.#running - this.#slow < quickLanes;
  }

  async #run(course: Course): Promise<void> {
    const { signal } = course.stop;
    const slow = isDownload(course) ? 1 : 0;
    const { key } = course.wanted;
    const isCheck = isFetched(course) && !course.isChecked;
    course.isQueued = false;
    course.isRunning = true;
    this.#running++;
    this.#slow += slow;
    try {
      if (course.isLeaving) await this.#clear(course);
      else if (isCheck) await this.#check(course, signal);
      else {
        const isMoved = canMove(course);
        if (!isMoved) await this.#replaceOutdated(course);
        else await this.#records.note({ ...(course.outdated as WantedArtifact), key: movedKey(key) });
        await this.#hold(course, signal);
        if (isMoved) await this.#leaveOldPlace(course);
      }
      if (!isCheck) course.failures = 0;
    } catch (error) {
      if (!signal.aborted) this.#fail(course, error);
    } finally {
      course.isRunning = false;
      this.#running--;
      this.#slow -= slow;
      if (course.isLeaving && !course.isQueued && course.cancelRetry === undefined) this.#courses.delete(key);
      if (isDownload(course) && isCheck && !signal.aborted) this.#queueDownload(course);
      this.#advance();
    }
  }

  /** Whether it could be downloaded at all, before it waits for those that are. */
  async #check(course: Course, signal: AbortSignal): Promise<void> {
    const { wanted } = course;
    await this.#options.folderOf(wanted.path, "filled");
    await this.#secrets(wanted);
    if (!signal.aborted) course.isChecked = true;
  }

  /** What was here before, or failed before, keeps its last word until its turn comes. */
  #queueDownload(course: Course): void {
    this.#enqueue(course);
    if (!course.isQueued || course.failures > 0 || course.place !== undefined) return;
    this.#options.onReport({ key: course.wanted.key, is: "updating", isQueued: true });
  }

  async #hold(course: Course, signal: AbortSignal): Promise<void> {
    const { wanted } = course;
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
    const environment = { ...this.#options.environment, ...wanted.settings, ...(await this.#secrets(wanted)) };
    this.#client ??= createHttpClient({ environment: this.#options.environment, addresses: this.#options.addresses });
    const client = this.#client;
    if (source.is === "present") await checkPresent(folder, path);
    else {
      this.#take(course);
      await this.#records.note(wanted);
      await this.#bring({ ...wanted, source }, this.#placeOf(wanted, { client, folder, environment, signal }));
    }
    const read = wanted.reading === "headers" ? await readFiles(folder, { client, environment, signal }) : undefined;
    if (!signal.aborted) onReport({ key, is: "ready", ...(read === undefined ? {} : { read }) });
  }

  /** Two that want other files in one folder would get a mixture. */
  #take(course: Course): void {
    const { path } = course.wanted;
    const occupant = findOccupant(course, this.#courses.values());
    if (occupant === undefined) {
      course.place = path;
      return;
    }
    course.blockedBy = occupant.wanted.key;
    const message = `${path}: ${occupant.wanted.key} has other files in ${placeOf(occupant) ?? occupant.outdated?.path}; give one of both another storage.path`;
    throw new WeightsError("refused", "Rejected", message);
  }

  /** A whole copy stays ready without a word; only what must be fetched is under way. */
  async #bring(wanted: Fetched, place: BringingPlace): Promise<void> {
    const { onEvent, onReport, now } = this.#options;
    const { key } = wanted;
    const began = now();
    const isWhole = await findWhole(wanted, place);
    onEvent?.({ is: "verified", key, result: isWhole ? "success" : "failure", seconds: (now() - began) / 1000 });
    if (isWhole) return;
    if (!place.signal.aborted) onReport({ key, is: "updating" });
    const begun = now();
    await bring(wanted, place);
    onEvent?.({ is: "fetched", key, seconds: (now() - begun) / 1000 });
  }

  #placeOf(
    { key }: WantedArtifact,
    context: Pick<BringingPlace, "client" | "folder" | "environment" | "signal">,
  ): BringingPlace {
    const { store, now, onReport, onEvent } = this.#options;
    let told = Number.NEGATIVE_INFINITY;
    let counted: number | undefined;
    const onProgress = ({ bytes, total = 0, rate }: Progress): void => {
      const at = now();
      // What was there from an earlier run is in the first word and did not come over the wire.
      if (counted !== undefined && bytes > counted) onEvent?.({ is: "received", key, bytes: bytes - counted });
      counted = bytes;
      if (at - told < progressEvery || context.signal.aborted) return;
      told = at;
      onReport({ key, is: "updating", progress: { bytes, total, rate, at } });
    };
    return { store, inventory: this.#inventory, onProgress, ...context };
  }

  #secrets({ secret }: WantedArtifact): Promise<Record<string, string>> {
    return secret === undefined ? Promise.resolve({}) : this.#options.secretsOf(secret);
  }

  /** Files of another source must not lie among those that come. */
  async #replaceOutdated(course: Course): Promise<void> {
    const { outdated, wanted } = course;
    if (outdated === undefined) return;
    if (isElsewhere(outdated, wanted)) {
      await this.#remove(outdated);
      await this.#records.strike(wanted.key);
      this.#leavePlace(course);
    }
    course.outdated = undefined;
  }

  /** The same files are shown at their new place; only now nobody needs the old one. */
  async #leaveOldPlace(course: Course): Promise<void> {
    const { outdated, wanted } = course;
    if (outdated === undefined || course.place !== wanted.path) return;
    await this.#remove(outdated);
    await this.#records.strike(movedKey(wanted.key));
    course.outdated = undefined;
    this.#wakeBlockedBy(wanted.key);
  }

  async #clear(course: Course): Promise<void> {
    const { wanted, outdated } = course;
    if (outdated !== undefined) await this.#remove(outdated);
    // Where it was kept from its folder, what lies there is another's.
    if (course.place === wanted.path) await this.#remove(wanted);
    await this.#records.strike(wanted.key);
    this.#leavePlace(course);
    this.#options.onGone(wanted.key);
  }

  /** Whoever waited for the folder can have it. */
  #leavePlace(course: Course): void {
    course.place = undefined;
    this.#wakeBlockedBy(course.wanted.key);
  }

  #wakeBlockedBy(key: string): void {
    for (const other of this.#courses.values()) if (other.blockedBy === key) this.#enqueue(other);
  }

  /** Unless they are to be kept, or are another's too. */
  async #remove({ key, source, path, afterwards }: WantedArtifact): Promise<void> {
    const others = [...this.#courses.values()].filter(({ wanted, isLeaving }) => wanted.key !== key && !isLeaving);
    const isShared = others.some((other) => {
      const theirs = placeOf(other);
      return theirs !== undefined && overlaps(theirs, path);
    });
    if (source.is !== "fetched" || afterwards === "keep" || isShared) return;
    // A folder that may not be used was never filled.
    const folder = await this.#options.folderOf(path, "filled").catch(() => undefined);
    if (folder === undefined) return;
    const isFetchedElsewhere = others.some(({ wanted }) => deepEqual(wanted.source, source));
    await discard(this.#options.store, folder, isFetchedElsewhere ? undefined : source.uri);
    // There is more room than before.
    for (const other of this.#courses.values()) if (other.lacksSpace) this.#enqueue(other);
  }

  #fail(course: Course, error: unknown): void {
    const { onReport, onError, onEvent, schedule, now, retry = defaultRetry } = this.#options;
    const { key } = course.wanted;
    if (!(error instanceof WeightsError)) onError(`holding ${key}`, error);
    const why = sentenceOf(error);
    course.failures++;
    course.isChecked = false;
    course.lacksSpace = error instanceof WeightsError && error.kind === "no-space";
    const pause = Math.min(retry.longest, retry.first * 2 ** (course.failures - 1));
    const nextAt = now() + pause;
    if (!course.isLeaving) onReport({ key, is: "failed", why, retry: { failures: course.failures, nextAt } });
    if (!course.isLeaving) for (const event of eventsOfFault(key, error)) onEvent?.(event);
    course.cancelRetry = schedule(pause, () => this.#enqueue(course));
  }
}

/** Nothing is given up here, so what was before that is said. */
const sentenceOf = (error: unknown): string =>
  rootOf(error)?.message ?? (error instanceof Error ? error.message : String(error));
