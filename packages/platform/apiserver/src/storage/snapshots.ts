import type { Instant } from "@trivium/std";
import type { Key, Stored } from "../store/store.ts";

/**
 * What lists in pages need of the past. From the first page on, the state that each later change replaces is kept, so that
 * the next pages show the objects of the first page's revision. Kept for minutes, and only while few enough are asked for.
 */
export interface Snapshots {
  /** Starts to remember a resource as it is at this revision. */
  open(resource: string, revision: number): void;
  /** Undefined when the revision is no longer, or was never, remembered. */
  find(resource: string, revision: number): Overlay | undefined;
  /** To be told of every change before it happens. */
  note(key: Key, before: Stored | undefined): void;
}

/** What was at a key at the revision, for each key that changed since; undefined: nothing was. */
export type Overlay = ReadonlyMap<string, { readonly key: Key; readonly before: Stored | undefined }>;

const lifetime = 5 * 60_000;
const maxSnapshots = 64;
const maxChanges = 20_000;

interface Snapshot {
  readonly resource: string;
  readonly revision: number;
  readonly changed: Map<string, { key: Key; before: Stored | undefined }>;
  until: Instant;
}

export const keyText = (key: Key): string => `${key.namespace}/${key.name}`;

export function createSnapshots(now: () => Instant): Snapshots {
  let open: Snapshot[] = [];
  const find = (resource: string, revision: number) =>
    open.find((one) => one.resource === resource && one.revision === revision && one.until > now());
  return {
    open: (resource, revision) => {
      const until = now() + lifetime;
      const known = find(resource, revision);
      if (known !== undefined) {
        known.until = until;
        return;
      }
      open = open.filter((one) => one.until > now()).slice(-(maxSnapshots - 1));
      open.push({ resource, revision, changed: new Map(), until });
    },
    find: (resource, revision) => find(resource, revision)?.changed,
    note: (key, before) => {
      for (const one of open) {
        if (one.resource !== key.resource) continue;
        const text = keyText(key);
        if (!one.changed.has(text)) one.changed.set(text, { key, before });
        if (one.changed.size > maxChanges) one.until = 0;
      }
      if (open.some((one) => one.until <= now())) open = open.filter((one) => one.until > now());
    },
  };
}
