import { resolve } from "node:path";
import { WeightsError } from "../fault.ts";
import { showUri } from "../sources/uri.ts";
import { formatFinding } from "../store/finding.ts";
import type { Reference } from "../store/references.ts";
import { Store } from "../store/store.ts";
import type { Context } from "./fetch-command.ts";
import { formatBytes } from "./words.ts";

export function openStore(path: string | undefined): Store {
  if (path !== undefined) return new Store(path);
  throw new WeightsError("refused", "InvalidOption", "no store selected; set --store or TRIVIUM_WEIGHTS_STORE");
}

export async function runList(store: Store, { reporter }: Context): Promise<void> {
  const models = await store.list();
  const rows = [];
  for (const { key, source, pinned, size, usedAt } of models.reverse()) {
    const references = await store.references(key);
    rows.push({ key, source, pinned, bytes: size, usedAt: new Date(usedAt).toISOString(), references });
  }
  const lines = rows.map(
    (row) => `${row.key}\t${formatBytes(row.bytes)}\t${row.references.length} uses\t${row.source}`,
  );
  reporter.result({ event: "models", models: rows }, lines.join("\n"));
}

/** Keeps a model from eviction, or lets it go again. `name` is its key or what it was fetched as. */
export async function runReference(
  store: Store,
  request: { readonly name: string; readonly reference: Reference; readonly change: "add" | "drop" },
  { reporter }: Context,
): Promise<void> {
  const { name, reference, change } = request;
  const matching = (await store.list()).filter(({ key, source, pinned }) => [key, source, pinned].includes(name));
  if (matching.length === 0)
    throw new WeightsError(
      "not-found",
      "NotFound",
      `${showUri(name)}: model not found in the store; list the models with ls`,
    );
  for (const { key } of matching) {
    if (change === "add") await store.hold(key, reference);
    else await store.letGo(key, reference);
  }
  const keys = matching.map(({ key }) => key);
  const event = { add: { pin: "pinned", holder: "held" }, drop: { pin: "unpinned", holder: "released" } }[change][
    reference.is === "pin" ? "pin" : "holder"
  ];
  reporter.result({ event, keys, reference }, `${keys.join(", ")}: ${event}`);
}

export async function runPrune(store: Store, limit: number, { reporter }: Context): Promise<void> {
  const report = await store.prune(limit);
  const text = `removed ${report.evicted.length} models, freed ${formatBytes(report.freedBytes)}; ${formatBytes(report.bytes)} in use`;
  reporter.result({ event: "pruned", ...report }, text);
}

interface Removal {
  readonly folder: string;
  /** The source whose unfinished downloads go as well. */
  readonly unfinished?: string | undefined;
}

export async function runRemove(store: Store, { folder, unfinished }: Removal, { reporter }: Context): Promise<void> {
  if (unfinished !== undefined) await store.abandon(unfinished);
  const report = await store.remove(resolve(folder));
  const text = `${folder}: removed ${report.evicted.length} models, freed ${formatBytes(report.freedBytes)}`;
  reporter.result({ event: "removed", folder, ...report }, text);
}

export async function runFsck(store: Store, { reporter }: Context): Promise<void> {
  const findings = await store.fsck();
  const lines = findings.map(formatFinding);
  reporter.result({ event: "checked", findings }, lines.length === 0 ? "no problems found" : lines.join("\n"));
}
