import { createHash } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { faultOfRelativePath } from "@trivium/std";
import { WeightsError } from "../fault.ts";
import { makeFolder } from "../transfer/parts/disk.ts";
import type { Layout } from "./layout.ts";
import { readRecord, writeWhole } from "./write-whole.ts";

/**
 * Who uses a model. A pin is a reference that nobody drops by accident; a view counts for as long as its folder is there, and may
 * show a model of one file under a name of its own.
 * While there is one, the model is not evicted.
 */
export type Reference =
  | { readonly is: "pin" }
  | { readonly is: "holder"; readonly name: string }
  | { readonly is: "view"; readonly path: string; readonly name?: string };

export async function addReference(layout: Layout, key: string, reference: Reference): Promise<void> {
  await makeFolder(layout.referencesOf(key));
  await writeWhole(fileOf(layout, key, reference), JSON.stringify(reference));
}

export async function dropReference(layout: Layout, key: string, reference: Reference): Promise<void> {
  await rm(fileOf(layout, key, reference), { force: true });
}

/** Those that still count; views whose folder is gone are forgotten on the way. */
export async function referencesOf(layout: Layout, key: string): Promise<Reference[]> {
  const found: Reference[] = [];
  for (const reference of await readReferences(layout, key)) {
    if (await isGone(reference)) await dropReference(layout, key, reference);
    else found.push(reference);
  }
  return found;
}

/** The same, and nothing is forgotten: for stores that pods can write. */
export async function standingReferences(layout: Layout, key: string): Promise<Reference[]> {
  const found: Reference[] = [];
  for (const reference of await readReferences(layout, key)) if (!(await isGone(reference))) found.push(reference);
  return found;
}

async function readReferences(layout: Layout, key: string): Promise<Reference[]> {
  const names = await readdir(layout.referencesOf(key)).catch(() => []);
  const found: Reference[] = [];
  for (const name of names.filter((each) => !each.endsWith(".new")).sort()) {
    const reference = (await readRecord(join(layout.referencesOf(key), name))) as Reference | undefined;
    if (reference !== undefined && isSafe(reference)) found.push(reference);
  }
  return found;
}

const isGone = async (reference: Reference): Promise<boolean> =>
  reference.is === "view" && (await stat(reference.path).catch(() => undefined)) === undefined;

/** Pods can write into the volumes that hold a store, so a record can say anything. */
function isSafe(record: { readonly [Field in "is" | "name" | "path"]?: unknown }): boolean {
  const { is, name, path } = record;
  if (is === "pin") return true;
  if (is === "holder") return typeof name === "string" && isHolderName(name);
  const isNamed = name === undefined || (typeof name === "string" && faultOfRelativePath(name) === undefined);
  return is === "view" && isNamed && typeof path === "string" && isAbsolute(path) && !path.split("/").includes("..");
}

const isHolderName = (name: string): boolean => /^[\w.-]{1,200}$/.test(name);

function fileOf(layout: Layout, key: string, reference: Reference): string {
  if (reference.is === "pin") return join(layout.referencesOf(key), "pin");
  if (reference.is === "view") {
    const digits = createHash("sha256").update(reference.path).digest("hex").slice(0, 16);
    return join(layout.referencesOf(key), `view-${digits}`);
  }
  if (!isHolderName(reference.name)) {
    throw new WeightsError(
      "refused",
      "InvalidOption",
      `${reference.name}: not a valid name (expected letters, digits, dots and dashes)`,
    );
  }
  return join(layout.referencesOf(key), `holder-${reference.name}`);
}
