import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Finding } from "../finding.ts";
import { isInside } from "../inside.ts";
import { Layout } from "../layout.ts";
import { type ListedModel, listModels, type StoredFile } from "../manifest.ts";
import { type Reference, standingReferences } from "../references.ts";
import { listUnfinished, type UnfinishedModel } from "../unfinished.ts";
import { isSameFile, shownFiles } from "../view.ts";
import { UntrustedBlobs } from "./untrusted-blobs.ts";

/**
 * A store in a volume, seen from the machine. Pods can write there, and can put a link in the place of any folder at any moment, also after
 * it was looked at. So this reads and reports, and has no way to change or delete anything.
 */
export class VolumeStore {
  readonly volume: string;
  readonly #layout: Layout;

  constructor(root: string, volume: string) {
    this.volume = volume;
    this.#layout = new Layout(root);
  }

  list(): Promise<ListedModel[]> {
    return listModels(this.#layout);
  }

  unfinished(): Promise<UnfinishedModel[]> {
    return listUnfinished(this.#layout);
  }

  references(key: string): Promise<Reference[]> {
    return standingReferences(this.#layout, key);
  }

  /** Compares the files that models list with their checksums. What no model lists is not read: a pod can put anything there. */
  async check(): Promise<{ readonly models: number; readonly findings: Finding[] }> {
    const [models, findings] = [await this.list(), [] as Finding[]];
    const blobs = new UntrustedBlobs();
    for (const model of models) {
      for (const file of model.files) findings.push(...(await this.#checkFile(blobs, model, file)));
      findings.push(...(await this.#checkViews(model)));
    }
    return { models: models.length, findings };
  }

  async #checkFile(blobs: UntrustedBlobs, { source }: ListedModel, file: StoredFile): Promise<Finding[]> {
    const path = this.#layout.blob(file.sha256);
    const fault = await blobs.faultOf(path, file);
    if (fault === undefined) return [];
    if (fault.is === "missing")
      return [{ path: `${source}/${file.path}`, problem: "blob-missing", repair: "download the model again" }];
    if (fault.is === "unread") return [{ path, problem: "unchecked", repair: fault.why }];
    const repair = `${fault.why}; delete this file, and it is downloaded again when needed`;
    return [{ path, problem: "blob-corrupt", repair }];
  }

  /** A record of a pod can name any folder: only those in the volume count. */
  async #checkViews(model: ListedModel): Promise<Finding[]> {
    const findings: Finding[] = [];
    const top = await realpath(this.volume);
    for (const each of await this.references(model.key)) {
      if (each.is !== "view") continue;
      const folder = await realpath(each.path).catch(() => undefined);
      if (folder === undefined || !isInside(top, folder)) continue;
      for (const { path, sha256 } of shownFiles(model, each)) {
        if (await isSameFile(join(folder, path), this.#layout.blob(sha256))) continue;
        const repair = "not the file of the store; restart what uses it";
        findings.push({ path: join(folder, path), problem: "view-broken", repair });
      }
    }
    return findings;
  }
}
