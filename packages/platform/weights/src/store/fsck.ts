import { lstat, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Millis } from "@trivium/std";
import { codeOf } from "../fault.ts";
import { digestFile } from "../transfer/digest-file.ts";
import type { Finding } from "./finding.ts";
import type { Layout } from "./layout.ts";
import { isKilled, readLease } from "./lease.ts";
import { listModels, removeManifest } from "./manifest.ts";
import { referencesOf } from "./references.ts";
import { pruneTo } from "./sweep.ts";
import { isSameFile, shownFiles, showView, type View } from "./view.ts";

/** Longer than any note takes to be written. */
const unfinishedFor: Millis = 600_000;

/**
 * Reads every blob, compares it with its name, and repairs: what is bad goes, models that lost a file are to be fetched again.
 * Pods must not be able to write the store: a `VolumeStore` is for those.
 */
export async function fsck(layout: Layout, now: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  const bad = await badBlobs(layout, findings);
  for (const model of await listModels(layout)) {
    const lost = [];
    for (const file of model.files) {
      const found = await stat(layout.blob(file.sha256)).catch(() => undefined);
      if (bad.has(file.sha256) || found?.size !== file.size) lost.push(file);
    }
    const views = await viewsOf(layout, model.key);
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
  await sweepLeftovers(layout, now, findings);
  await pruneTo(layout, Number.POSITIVE_INFINITY);
  return findings;
}

async function viewsOf(layout: Layout, key: string): Promise<View[]> {
  return (await referencesOf(layout, key)).filter((each) => each.is === "view");
}

async function badBlobs(layout: Layout, findings: Finding[]): Promise<Set<string>> {
  const bad = new Set<string>();
  for (const name of await readdir(layout.blobs).catch(() => [])) {
    const path = layout.blob(name);
    const found = await digestOf(path);
    if (found === name || found === "gone") continue;
    bad.add(name);
    const why = found === undefined ? "it is not a regular file" : `its SHA-256 is ${found}`;
    findings.push({ path, problem: "blob-corrupt", repair: `removed; ${why}` });
  }
  return bad;
}

/** Undefined for what is not a regular file: reading a pipe or a device can wait forever. Others delete blobs meanwhile. */
async function digestOf(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isFile() ? await digestFile(path) : undefined;
  } catch (error) {
    const isGone = await lstat(path).then(
      () => false,
      (fault) => codeOf(fault) === "ENOENT",
    );
    if (isGone) return "gone";
    throw error;
  }
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
async function sweepLeftovers(layout: Layout, now: number, findings: Finding[]): Promise<void> {
  for (const name of await readdir(layout.models).catch(() => [])) {
    const path = join(layout.models, name);
    if (name.endsWith(".new") && (await isLeft(layout, name, now))) {
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

/** Whether nobody goes on with a half-written note: its writer was killed, or would have been done long ago. */
async function isLeft(layout: Layout, name: string, now: number): Promise<boolean> {
  const lease = await readLease(layout.leases, name.slice(0, name.indexOf(".")));
  const found = await lstat(join(layout.models, name)).catch(() => undefined);
  if (found === undefined) return false;
  return now - found.mtimeMs > unfinishedFor || (lease !== undefined && !lease.isReleased && isKilled(lease));
}
