import type { WantedArtifact } from "@trivium/domain";
import { deepEqual } from "@trivium/std";
import { WeightsError } from "../fault.ts";
import { createHttpClient, type HttpClient } from "../transfer/http/http-client.ts";
import { eventsOfFault } from "./artifact-event.ts";
import type { ArtifactManagerOptions } from "./artifact-manager-options.ts";
import { ArtifactRecords } from "./artifact-records.ts";
import { exitCodeOf, listedOf, sentenceOf, updatingOf } from "./artifact-report.ts";
import { type BringingContext, placeFor } from "./bringing-place.ts";
import { awaitsPermit, listForPermit } from "./download-permit.ts";
import { Inventory } from "./inventory.ts";
import { bring, checkPresent, discard, findWhole, readFiles } from "./keep-artifact.ts";
import {
  canMove,
  findOccupant,
  isDownload,
  isElsewhere,
  isFetched,
  isSamePlace,
  isSameWork,
  type Lifecycle,
  lifecycleOf,
  overlaps,
  placeOf,
} from "./lifecycle.ts";

const defaultRetry = { first: 5_000, longest: 300_000 };
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
  readonly #lifecycles = new Map<string, Lifecycle>();
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
    for (const [key, lifecycle] of this.#lifecycles) if (!wanted.has(key)) this.#leave(lifecycle);
    for (const one of wanted.values()) this.#see(one);
    if (leftovers === "keep") return;
    const moving = new Set(
      [...this.#lifecycles.values()].filter(({ outdated }) => outdated).map(({ wanted: { key } }) => movedKey(key)),
    );
    for (const one of this.#records.all()) if (!wanted.has(one.key) && !moving.has(one.key)) this.release(one);
  }

  /** Clears away what a keeper before this one may have left: it was held and is not wanted. */
  release(wanted: WantedArtifact): void {
    if (this.#lifecycles.has(wanted.key)) return;
    const lifecycle = this.#add(wanted);
    // Whoever says that it was held knows better than a ledger that is not there.
    lifecycle.place ??= wanted.path;
    this.#leave(lifecycle);
  }

  /** Ends what is under way and leaves all files as they are. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const lifecycle of this.#lifecycles.values()) {
      lifecycle.cancelRetry?.();
      lifecycle.stop.abort();
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
    const lifecycle = this.#lifecycles.get(wanted.key);
    if (lifecycle === undefined) {
      this.#enqueue(this.#add(wanted));
      return;
    }
    const isSame = !lifecycle.isLeaving && deepEqual(lifecycle.wanted, wanted);
    if (isSame) return;
    const isOther = lifecycle.isLeaving || !isSameWork(lifecycle.wanted, wanted);
    if (isOther && lifecycle.place !== undefined && isElsewhere(lifecycle.wanted, wanted))
      lifecycle.outdated ??= lifecycle.wanted;
    // Files that are whole stay ready, and a listing stays good, while only the permit changes.
    const isSilent = !lifecycle.isLeaving && isSamePlace(lifecycle.wanted, wanted);
    if (isElsewhere(lifecycle.wanted, wanted)) lifecycle.listed = undefined;
    lifecycle.wanted = wanted;
    lifecycle.isLeaving = false;
    if (!isOther) return;
    if (!isSilent) this.#options.onReport(updatingOf(lifecycle));
    this.#restart(lifecycle);
  }

  #leave(lifecycle: Lifecycle): void {
    if (lifecycle.isLeaving) return;
    lifecycle.isLeaving = true;
    this.#restart(lifecycle);
  }

  #add(wanted: WantedArtifact): Lifecycle {
    const lifecycle = lifecycleOf(wanted, this.#records.get(wanted.key));
    this.#lifecycles.set(wanted.key, lifecycle);
    return lifecycle;
  }

  /** What is under way ends first; the course is taken up again then. */
  #restart(lifecycle: Lifecycle): void {
    lifecycle.failures = 0;
    lifecycle.isChecked = false;
    lifecycle.stop.abort();
    lifecycle.stop = new AbortController();
    this.#enqueue(lifecycle);
  }

  #enqueue(lifecycle: Lifecycle): void {
    lifecycle.cancelRetry?.();
    lifecycle.cancelRetry = undefined;
    lifecycle.blockedBy = undefined;
    lifecycle.lacksSpace = false;
    if (lifecycle.isQueued || this.#isStopped) return;
    lifecycle.isQueued = true;
    this.#queue.push(lifecycle.wanted.key);
    this.#advance();
  }

  #advance(): void {
    for (let at = 0; at < this.#queue.length && !this.#isStopped; ) {
      const lifecycle = this.#lifecycles.get(this.#queue[at] as string);
      if (lifecycle !== undefined && (lifecycle.isRunning || !this.#hasSpaceFor(lifecycle))) {
        at++;
        continue;
      }
      this.#queue.splice(at, 1);
      if (lifecycle !== undefined) void this.#run(lifecycle);
    }
    if (this.#running === 0 && (this.#isStopped || this.#queue.length === 0))
      for (const resolve of this.#whenQuiet.splice(0)) resolve();
  }

  /** What fetches nothing does not wait behind downloads that may take hours. */
  #hasSpaceFor(lifecycle: Lifecycle): boolean {
    const { lanes = 2 } = this.#options;
    return isDownload(lifecycle) ? this.#slow < lanes : this.#running - this.#slow < quickLanes;
  }

  async #run(lifecycle: Lifecycle): Promise<void> {
    const { signal } = lifecycle.stop;
    const slow = isDownload(lifecycle) ? 1 : 0;
    const { key } = lifecycle.wanted;
    const isCheck = isFetched(lifecycle) && !lifecycle.isChecked;
    lifecycle.isQueued = false;
    lifecycle.isRunning = true;
    this.#running++;
    this.#slow += slow;
    try {
      if (lifecycle.isLeaving) await this.#clear(lifecycle);
      else if (isCheck) await this.#check(lifecycle, signal);
      else {
        const isMoved = canMove(lifecycle);
        if (!isMoved) await this.#replaceOutdated(lifecycle);
        else await this.#records.note({ ...(lifecycle.outdated as WantedArtifact), key: movedKey(key) });
        await this.#hold(lifecycle, signal);
        if (isMoved) await this.#leaveOldPlace(lifecycle);
      }
      if (!isCheck) lifecycle.failures = 0;
    } catch (error) {
      if (!signal.aborted) this.#fail(lifecycle, error);
    } finally {
      lifecycle.isRunning = false;
      this.#running--;
      this.#slow -= slow;
      if (lifecycle.isLeaving && !lifecycle.isQueued && lifecycle.cancelRetry === undefined)
        this.#lifecycles.delete(key);
      if (isDownload(lifecycle) && isCheck && !signal.aborted) this.#queueDownload(lifecycle);
      this.#advance();
    }
  }

  /** Whether it could be downloaded at all, before it waits for those that are. */
  async #check(lifecycle: Lifecycle, signal: AbortSignal): Promise<void> {
    const { wanted } = lifecycle;
    const folder = await this.#options.folderOf(wanted.path, "filled");
    const secrets = await this.#secrets(wanted);
    await this.#adopt(wanted, folder, signal);
    const isHeld = await awaitsPermit(wanted, this.#inventory);
    if (isHeld)
      await listForPermit(lifecycle, {
        client: this.#http(),
        environment: this.#environment(wanted, secrets),
        signal,
      });
    if (signal.aborted) return;
    if (isHeld) this.#options.onReport(updatingOf(lifecycle));
    else lifecycle.isChecked = true;
  }

  /** Takes files that were put into the folder by hand, as on nodes without a network. */
  async #adopt({ source }: WantedArtifact, folder: string, signal: AbortSignal): Promise<void> {
    if (source.is !== "fetched" || (await this.#inventory.findWhole(source.uri)) !== undefined) return;
    const manifest = await this.#options.store.adopt({
      source: source.uri,
      include: [],
      view: { path: folder },
      signal,
    });
    if (manifest !== undefined) await this.#inventory.note(manifest);
  }

  #http(): HttpClient {
    const { environment, addresses } = this.#options;
    this.#client ??= createHttpClient({ environment, addresses });
    return this.#client;
  }

  #environment({ settings }: WantedArtifact, secrets: Record<string, string>): ArtifactManagerOptions["environment"] {
    return { ...this.#options.environment, ...settings, ...secrets };
  }

  /** What was here before, or failed before, keeps its last word until its turn comes. */
  #queueDownload(lifecycle: Lifecycle): void {
    this.#enqueue(lifecycle);
    if (!lifecycle.isQueued || lifecycle.failures > 0 || lifecycle.place !== undefined) return;
    this.#options.onReport(updatingOf(lifecycle, { isQueued: true }));
  }

  async #hold(lifecycle: Lifecycle, signal: AbortSignal): Promise<void> {
    const { wanted } = lifecycle;
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
    const environment = this.#environment(wanted, await this.#secrets(wanted));
    const client = this.#http();
    if (source.is === "present") await checkPresent(folder, path);
    else {
      this.#take(lifecycle);
      await this.#records.note(wanted);
      await this.#bring({ ...wanted, source }, lifecycle, { client, folder, environment, signal });
    }
    const read = wanted.reading === "headers" ? await readFiles(folder, { client, environment, signal }) : undefined;
    if (!signal.aborted)
      onReport({ key, is: "ready", ...(read === undefined ? {} : { read }), ...listedOf(lifecycle) });
  }

  /** Two that want other files in one folder would get a mixture. */
  #take(lifecycle: Lifecycle): void {
    const { path } = lifecycle.wanted;
    const occupant = findOccupant(lifecycle, this.#lifecycles.values());
    if (occupant === undefined) {
      lifecycle.place = path;
      return;
    }
    lifecycle.blockedBy = occupant.wanted.key;
    const message = `${path}: already used by ${occupant.wanted.key} for other files in ${placeOf(occupant) ?? occupant.outdated?.path}; change storage.path of one of them`;
    throw new WeightsError("refused", "Rejected", message);
  }

  /** A whole copy stays ready without a word; only what must be fetched is under way. */
  async #bring(wanted: Fetched, lifecycle: Lifecycle, context: BringingContext): Promise<void> {
    const { onEvent, onReport, now } = this.#options;
    const { key } = wanted;
    const place = placeFor(lifecycle, { ...this.#options, inventory: this.#inventory }, context);
    const began = now();
    const isWhole = await findWhole(wanted, place);
    onEvent?.({ is: "verified", key, result: isWhole ? "success" : "failure", seconds: (now() - began) / 1000 });
    if (isWhole) return;
    if (!place.signal.aborted) onReport(updatingOf(lifecycle));
    const begun = now();
    await bring(wanted, place);
    onEvent?.({ is: "fetched", key, seconds: (now() - begun) / 1000 });
  }

  #secrets({ secret }: WantedArtifact): Promise<Record<string, string>> {
    return secret === undefined ? Promise.resolve({}) : this.#options.secretsOf(secret);
  }

  /** Files of another source must not lie among those that come. */
  async #replaceOutdated(lifecycle: Lifecycle): Promise<void> {
    const { outdated, wanted } = lifecycle;
    if (outdated === undefined) return;
    if (isElsewhere(outdated, wanted)) {
      await this.#remove(outdated);
      await this.#records.strike(wanted.key);
      this.#leavePlace(lifecycle);
    }
    lifecycle.outdated = undefined;
  }

  /** The same files are shown at their new place; only now nobody needs the old one. */
  async #leaveOldPlace(lifecycle: Lifecycle): Promise<void> {
    const { outdated, wanted } = lifecycle;
    if (outdated === undefined || lifecycle.place !== wanted.path) return;
    await this.#remove(outdated);
    await this.#records.strike(movedKey(wanted.key));
    lifecycle.outdated = undefined;
    this.#wakeBlockedBy(wanted.key);
  }

  async #clear(lifecycle: Lifecycle): Promise<void> {
    const { wanted, outdated } = lifecycle;
    if (outdated !== undefined) await this.#remove(outdated);
    // Where it was kept from its folder, what lies there is another's.
    if (lifecycle.place === wanted.path) await this.#remove(wanted);
    await this.#records.strike(wanted.key);
    this.#leavePlace(lifecycle);
    this.#options.onGone(wanted.key);
  }

  /** Whoever waited for the folder can have it. */
  #leavePlace(lifecycle: Lifecycle): void {
    lifecycle.place = undefined;
    this.#wakeBlockedBy(lifecycle.wanted.key);
  }

  #wakeBlockedBy(key: string): void {
    for (const other of this.#lifecycles.values()) if (other.blockedBy === key) this.#enqueue(other);
  }

  /** Unless they are to be kept, or are another's too. */
  async #remove({ key, source, path, afterwards }: WantedArtifact): Promise<void> {
    const others = [...this.#lifecycles.values()].filter(({ wanted, isLeaving }) => wanted.key !== key && !isLeaving);
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
    for (const other of this.#lifecycles.values()) if (other.lacksSpace) this.#enqueue(other);
  }

  #fail(lifecycle: Lifecycle, error: unknown): void {
    const { onReport, onError, onEvent, schedule, now, retry = defaultRetry } = this.#options;
    const { key } = lifecycle.wanted;
    if (!(error instanceof WeightsError)) onError(`cannot provide ${key}`, error);
    const why = sentenceOf(error);
    lifecycle.failures++;
    lifecycle.isChecked = false;
    lifecycle.lacksSpace = error instanceof WeightsError && error.kind === "no-space";
    const pause = Math.min(retry.longest, retry.first * 2 ** (lifecycle.failures - 1));
    const nextAt = now() + pause;
    const report = { key, is: "failed", why, ...exitCodeOf(error) } as const;
    if (!lifecycle.isLeaving) onReport({ ...report, retry: { failures: lifecycle.failures, nextAt } });
    if (!lifecycle.isLeaving) for (const event of eventsOfFault(key, error)) onEvent?.(event);
    lifecycle.cancelRetry = schedule(pause, () => this.#enqueue(lifecycle));
  }
}
