import type { Kind, ScalePaths } from "@trivium/kube";

/** A kind without its schema. */
export interface TableKind extends Kind {
  readonly scale?: ScalePaths;
}

/** What the first load needs to know of a dialect. */
export interface ApiTable {
  /** Its name: `aim`, `ome`, `llmkube`. */
  readonly api: string;
  readonly group: string;
  /** The kind of its services. */
  readonly service: string;
  readonly kinds: readonly TableKind[];
}

export function serviceKindOf({ kinds, service }: ApiTable): TableKind {
  const found = kinds.find(({ kind }) => kind === service);
  if (found === undefined) throw new Error(`no kind ${service}`);
  return found;
}

/** Where all objects of a kind are listed and watched. */
export function collectionPathOf({ group, version, plural, namespaced }: Kind, namespace?: string): string {
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced && namespace !== undefined ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`;
}

export function objectPathOf(
  kind: Kind,
  { namespace, name }: { namespace?: string | undefined; name: string },
): string {
  return `${collectionPathOf(kind, namespace)}/${encodeURIComponent(name)}`;
}
