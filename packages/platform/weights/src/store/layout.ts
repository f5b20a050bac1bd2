import { createHash } from "node:crypto";
import { join } from "node:path";

/** Where everything lies in a store. Nothing else builds such a path. */
export class Layout {
  readonly root: string;
  readonly blobs: string;
  readonly models: string;
  readonly leases: string;
  readonly partials: string;
  readonly references: string;
  readonly refusals: string;

  constructor(root: string) {
    this.root = root;
    this.blobs = join(root, "blobs", "sha256");
    this.models = join(root, "models");
    this.leases = join(root, "leases");
    this.partials = join(root, "partial");
    this.references = join(root, "references");
    this.refusals = join(root, "refused");
  }

  blob(sha256: string): string {
    return join(this.blobs, sha256);
  }

  manifest(key: string): string {
    return join(this.models, `${key}.json`);
  }

  /** What a running fetch is about to need; keeps the sweep away from it. */
  pending(key: string): string {
    return join(this.models, `${key}.pending`);
  }

  partial(key: string, path: string): string {
    return join(this.partials, key, digits(path));
  }

  /** What a file at its source was found to be, where something else was expected. */
  refusal(pinned: string, path: string): string {
    return join(this.refusals, `${digits(`${pinned}\n${path}`)}.json`);
  }

  referencesOf(key: string): string {
    return join(this.references, key);
  }
}

/** The name of a model in a store: 16 hex digits of what it is and which of its files are wanted. */
export function modelKey(pinned: string, include: readonly string[]): string {
  return digits([pinned, ...[...include].sort()].join("\n"));
}

function digits(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
