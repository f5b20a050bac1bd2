import type { AnyObject } from "@trivium/kube";
import { parse, stringify } from "yaml";

/** What a person edits: without status and the bookkeeping of the server. */
export function editableText(object: AnyObject): string {
  const { status: _, metadata, apiVersion, kind, ...rest } = object;
  const { name, namespace, labels, annotations } = metadata;
  const { "kubectl.kubernetes.io/last-applied-configuration": __, ...notes } = annotations ?? {};
  const kept = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }),
  };
  return stringify({ apiVersion, kind, metadata: kept, ...rest }, { lineWidth: 0 });
}

export type Edit =
  | { readonly is: "faulty"; readonly why: string }
  | { readonly is: "apply"; readonly manifest: AnyObject }
  /** A field was removed, which an apply by another manager would keep. */
  | { readonly is: "replace"; readonly manifest: AnyObject };

/** Reads an edited text, and how it has to be sent. */
export function readEdit(text: string, live: AnyObject): Edit {
  const manifest = parseManifest(text);
  if (typeof manifest === "string") return { is: "faulty", why: manifest };
  for (const field of ["apiVersion", "kind"] as const)
    if (manifest[field] !== live[field]) return { is: "faulty", why: `${field} cannot change: it is ${live[field]}` };
  const { name, namespace } = manifest.metadata ?? {};
  if (name !== live.metadata.name || namespace !== live.metadata.namespace)
    return { is: "faulty", why: "the name and namespace cannot change; use Plan to create another object" };
  const before = parse(editableText(live)) as unknown;
  if (!hasRemoval(before, manifest)) return { is: "apply", manifest };
  const metadata = { ...live.metadata, ...manifest.metadata } as AnyObject["metadata"];
  return { is: "replace", manifest: { ...manifest, status: live.status, metadata } as AnyObject };
}

function parseManifest(text: string): AnyObject | string {
  try {
    const value = parse(text) as unknown;
    return typeof value === "object" && value !== null ? (value as AnyObject) : "the text is no object";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function hasRemoval(before: unknown, after: unknown): boolean {
  if (Array.isArray(before)) return Array.isArray(after) && before.length > after.length;
  if (typeof before !== "object" || before === null) return false;
  if (typeof after !== "object" || after === null) return after === undefined;
  return Object.entries(before).some(
    ([key, value]) =>
      !Object.hasOwn(after, key) || hasRemoval(value, (after as Readonly<Record<string, unknown>>)[key]),
  );
}
