import { rm } from "node:fs/promises";
import type { Millis } from "@trivium/std";
import { WeightsError } from "../fault.ts";
import { digestMismatch } from "../transfer/download.ts";
import { makeFolder } from "../transfer/parts/disk.ts";
import type { RemoteFile } from "../transfer/remote-file.ts";
import type { Layout } from "./layout.ts";
import { versionOf } from "./manifest.ts";
import { putBlob } from "./take-file.ts";
import { readRecord, writeWhole } from "./write-whole.ts";

/** A file at its source, whatever digest is expected of it. */
export interface FilePlace {
  readonly layout: Layout;
  readonly pinned: string;
  readonly file: RemoteFile;
}

/** How long bytes of a source that names no version are taken to be the same. */
const unversionedFor: Millis = 3_600_000;

/**
 * Throws where the source is known to have other bytes than are expected now: a wrong digest is a mistake of a person, and fetching
 * gigabytes at every restart does not correct it. A changed source or another expectation are looked at anew.
 */
export async function checkRefusal({ layout, pinned, file }: FilePlace, now: number): Promise<void> {
  const { digest, size } = file;
  if (digest?.algorithm !== "sha256") return;
  const record = await readRecord(layout.refusal(pinned, file.path));
  if (record === undefined || typeof record.sha256 !== "string" || record.sha256 === digest.hex.toLowerCase()) return;
  const sameVersion = record.version === sourceVersion(file) && (size === undefined || record.size === size);
  const isFresh = record.version !== null || now - Number(record.at) < unversionedFor;
  if (!sameVersion || !isFresh) return;
  throw digestMismatch(file.shownAs, { algorithm: "sha256", expected: digest.hex, actual: record.sha256 });
}

/** Keeps the bytes under the digest they have, so that a corrected expectation finds them, and remembers what the source has. */
export async function keepRefused({ layout, pinned, file }: FilePlace, error: unknown, now: number): Promise<void> {
  const found = error instanceof WeightsError ? error.found : undefined;
  if (found === undefined) return;
  await makeFolder(layout.refusals);
  await putBlob(layout, found).catch(() => rm(found.path, { force: true }));
  const record = { version: sourceVersion(file), size: found.size, sha256: found.sha256, at: now };
  await writeWhole(layout.refusal(pinned, file.path), JSON.stringify(record));
}

/** What the source itself says; the digest that is expected says nothing of it. */
const sourceVersion = ({ digest: _, ...file }: RemoteFile): string | null => versionOf(file);
