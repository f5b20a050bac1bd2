import { lstat, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { digestFile } from "../transfer/digest-file.ts";
import type { Layout } from "./layout.ts";
import { isKilled, readLease } from "./lease.ts";
import { listModels, removeManifest } from "./manifest.ts";
import { referencesOf } from "./references.ts";
import { pruneTo } from "./sweep.ts";
import { isSameFile, shownFiles, showView, type View } from "./view.ts";

/** Something that was wrong and what was done about it. */
export interface Finding {
  readonly path: string;
  readonly problem: "blob-corrupt" | "blob-missing" | "view-broken" | "unfinished-write" | "pending-stale";
  readonly repair: string;
}

/** Reads every blob, compares it with its name, and repairs: what is bad goes, models that lost a file are to be fetched again. */
export async function fsck(layout: Layout): Promise<Finding[]> {
  const findings: Finding[] = [];
  const bad = await badBlobs(layout, findings);
  for (const model of await listModels(layout)) {
    const lost = [];
    for (const file of model.files) {
      const found = await stat(layout.blob(file.sha256)).catch(() => undefined);
      if (bad.has(file.sha256) || found?.size !== file.size) lost.push(file);
    }
    const views = (await referencesOf(layout, model.key)).filter((each) => each.is === "view");
    for (const file of lost) {
      for (const view of views) {
        const shown = join(view.path, view.name ?? file.path);
        if (await isSameFile(shown, layout.blob(file.sha256))) await rm(shown, { force: true });
      }
      findings.push({
        path: `${model.source}/${file.path}`,
        problem: "blob-missing",
        repair: "download the model again",
      });
    }
    if (lost.length > 0) await removeManifest(layout, model.key);
    else for (const view of views) await repairView(layout, model, view, findings);
  }
  for (const sha256 of bad) await rm(layout.blob(sha256), { force: true });
  await sweepLeftovers(layout, findings);
  await pruneTo(layout, Number.POSITIVE_INFINITY);
  return findings;
}

async function badBlobs(layout: Layout, findings: Finding[]): Promise<Set<string>> {
  const bad = new Set<string>();
  for (const name of await readdir(layout.blobs).catch(() => [])) {
    const path = layout.blob(name);
    // Reading a pipe or a device can wait forever.
    const found = (await lstat(path)).isFile() ? await digestFile(path) : undefined;
    if (found === name) continue;
    bad.add(name);
    const why = found === undefined ? "it is not a regular file" : `its SHA-256 is ${found}`;
    findings.push({ path, problem: "blob-corrupt", repair: `removed; ${why}` });
  }
  return bad;
}

async function repairView(
  layout: Layout,
  model: Parameters<typeof showView>[1],
  view: View,
  findings: Finding[],
): Promise<void> {
  for (const { path, sha256 } of shownFiles(model, view)) {
    if (await isSameFile(join(view.path, path), layout.blob(sha256))) continue;
    findings.push({ path: join(view.path, path), problem: "view-broken", repair: "linked again" });
  }
  await showView(layout, model, view);
}

/** What killed processes leave: half-written notes, and wishes of fetches that nobody runs. Half-fetched files stay, to go on with. */
async function sweepLeftovers(layout: Layout, findings: Finding[]): Promise<void> {
  for (const name of await readdir(layout.models).catch(() => [])) {
    const path = join(layout.models, name);
    if (name.endsWith(".new")) {
      await rm(path, { force: true });
      findings.push({ path, problem: "unfinished-write", repair: "removed" });
    }
    if (!name.endsWith(".pending")) continue;
    const lease = await readLease(layout.leases, name.slice(0, -".pending".length));
    if (lease !== undefined && !lease.isReleased && !isKilled(lease)) continue;
    await rm(path, { force: true });
    findings.push({ path, problem: "pending-stale", repair: "removed" });
  }
}
