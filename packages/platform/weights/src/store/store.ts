import { stat } from "node:fs/promises";
import type { Listing } from "../sources/source.ts";
import { showUri } from "../sources/uri.ts";
import type { Progress } from "../transfer/meter.ts";
import { type TransferSettings, transferSettings } from "../transfer/settings.ts";
import { type AdoptRequest, adoptFiles, findWholeFiles } from "./adopt.ts";
import { fetchModel } from "./fetch-model.ts";
import type { Finding } from "./finding.ts";
import { takeOrFollow } from "./follow.ts";
import { fsck } from "./fsck.ts";
import { confirmInside } from "./inside.ts";
import { Layout, modelKey } from "./layout.ts";
import { defaultLease, type LeaseRule } from "./lease.ts";
import { isCurrent, type ListedModel, listModels, type Manifest, patchManifest, readManifest } from "./manifest.ts";
import { addReference, dropReference, type Reference, referencesOf } from "./references.ts";
import { type PruneReport, pruneTo, removeUnused, removeView } from "./sweep.ts";
import { abandonUnfinished, listUnfinished, type UnfinishedModel } from "./unfinished.ts";
import { shownFiles, showView, type View } from "./view.ts";

export interface StoreOptions {
  readonly lease?: LeaseRule;
  /** The blobs never take more; what is unused for longest goes first. */
  readonly quotaBytes?: number;
  /** Other stores on the same disk, whose files are linked instead of downloaded again. */
  readonly peers?: () => readonly string[];
}

export interface StoreRequest {
  /** What the user wrote. */
  readonly source: string;
  readonly include?: readonly string[];
  /** Where it is going to be shown. */
  readonly view?: View;
  readonly settings?: Partial<TransferSettings>;
  /** Called where unused models were deleted to keep the quota. */
  readonly onEvicted?: ((report: PruneReport) => void) | undefined;
}

export interface StoreAnswer {
  readonly manifest: Manifest;
  /** Whether this process fetched it, found it, or followed another that did. */
  readonly how: "fetched" | "found" | "followed";
}

/** Models on a disk: each blob once, whoever needs it, however many processes and nodes share the volume. */
export class Store {
  readonly #layout: Layout;
  readonly #lease: LeaseRule;
  readonly #quotaBytes: number | undefined;
  readonly #peers: () => readonly string[];

  constructor(root: string, options: StoreOptions = {}) {
    this.#layout = new Layout(root);
    this.#lease = options.lease ?? defaultLease;
    this.#quotaBytes = options.quotaBytes;
    this.#peers = options.peers ?? (() => []);
  }

  /** Makes sure the listed model is here, by one download however many ask. */
  async ensure(listing: Listing, request: StoreRequest): Promise<StoreAnswer> {
    const include = request.include ?? [];
    const key = modelKey(listing.pinned, include);
    const found = await this.#complete(key, listing);
    if (found !== undefined) return { manifest: found, how: "found" };
    const settings = transferSettings(request.settings);
    let hasFollowed = false;
    const lease = await takeOrFollow(this.#layout.leases, key, {
      rule: this.#lease,
      signal: settings.signal,
      onNote: (note) => {
        hasFollowed = true;
        settings.onProgress(note as unknown as Progress);
      },
    });
    try {
      const done = await this.#complete(key, listing);
      if (done !== undefined) return { manifest: done, how: hasFollowed ? "followed" : "found" };
      const { files } = listing;
      const [source, pinned] = [showUri(request.source), showUri(listing.pinned)];
      const [quotaBytes, peers, { view, onEvicted }] = [this.#quotaBytes, this.#peers(), request];
      const fetch = { key, source, pinned, include, files, quotaBytes, view, peers, settings, onEvicted };
      return { manifest: await fetchModel(this.#layout, lease, fetch), how: "fetched" };
    } finally {
      await lease.release();
    }
  }

  /** What was fetched last for this very wish, for when its source does not answer. Signed addresses are never the same wish. */
  async lastKnown(source: string, include: readonly string[]): Promise<Manifest | undefined> {
    if (showUri(source) !== source) return undefined;
    const isSame = (model: Manifest) => model.source === source && model.include.join("\n") === include.join("\n");
    const found = (await this.list()).findLast(isSame);
    return found === undefined ? undefined : this.findWhole(found.key);
  }

  /**
   * A model that was never downloaded, and whose files lie whole where it would be shown; nothing where they do not, or where the folder
   * shows another model.
   */
  async adopt(request: AdoptRequest): Promise<Manifest | undefined> {
    return (await this.#isFree(request)) ? adoptFiles(this.#layout, request) : undefined;
  }

  /** Whether `adopt` would take something; the files are not read whole. */
  async canAdopt(request: AdoptRequest): Promise<boolean> {
    return (await this.#isFree(request)) && (await findWholeFiles(request)) !== undefined;
  }

  async #isFree({ source, view }: AdoptRequest): Promise<boolean> {
    if (showUri(source) !== source) return false;
    for (const { key } of await this.list())
      if ((await this.references(key)).some((one) => one.is === "view" && one.path === view.path)) return false;
    return true;
  }

  /** A model by its key, if all of it is there. */
  async findWhole(key: string): Promise<Manifest | undefined> {
    const manifest = await readManifest(this.#layout, key);
    return manifest === undefined ? undefined : this.#whole(manifest);
  }

  /** Shows a model in a folder and counts it as used while that folder exists. */
  async view(manifest: Manifest, directory: string, name?: string): Promise<void> {
    const view = { path: directory, ...(name === undefined ? {} : { name }) };
    shownFiles(manifest, view);
    await addReference(this.#layout, manifest.key, { is: "view", ...view });
    await showView(this.#layout, manifest, view);
  }

  async hold(key: string, reference: Reference): Promise<void> {
    await addReference(this.#layout, key, reference);
  }

  async letGo(key: string, reference: Reference): Promise<void> {
    await dropReference(this.#layout, key, reference);
  }

  references(key: string): Promise<Reference[]> {
    return referencesOf(this.#layout, key);
  }

  list(): Promise<ListedModel[]> {
    return listModels(this.#layout);
  }

  /** Downloads that run or have stopped half-way. */
  unfinished(): Promise<UnfinishedModel[]> {
    return listUnfinished(this.#layout);
  }

  async prune(limit: number): Promise<PruneReport> {
    confirmInside(this.#layout);
    return pruneTo(this.#layout, limit);
  }

  /** Deletes a folder that shows models, with the models that nothing else uses. */
  async remove(folder: string): Promise<PruneReport> {
    confirmInside(this.#layout);
    return removeView(this.#layout, folder);
  }

  /** Deletes one model, unless something uses it. */
  async removeUnused(key: string): Promise<PruneReport> {
    confirmInside(this.#layout);
    return removeUnused(this.#layout, key);
  }

  /** Lets go of what came of downloads of this source that nobody goes on with. */
  async abandon(source: string): Promise<void> {
    confirmInside(this.#layout);
    return abandonUnfinished(this.#layout, showUri(source));
  }

  async fsck(): Promise<Finding[]> {
    confirmInside(this.#layout);
    return fsck(this.#layout, Date.now());
  }

  /** The model if it is what the listing describes and all its blobs are there. */
  async #complete(key: string, listing: Listing): Promise<Manifest | undefined> {
    const manifest = await readManifest(this.#layout, key);
    if (manifest === undefined || !isCurrent(manifest, listing.files)) return undefined;
    return this.#whole(manifest);
  }

  async #whole(manifest: Manifest): Promise<Manifest | undefined> {
    for (const { sha256, size } of manifest.files) {
      const found = await stat(this.#layout.blob(sha256)).catch(() => undefined);
      if (found?.size !== size) return undefined;
    }
    await patchManifest(this.#layout, manifest.key);
    return manifest;
  }
}
