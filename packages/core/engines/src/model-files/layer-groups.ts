import type { AttentionGroup } from "@trivium/domain";

/** More layers than any model has; a configuration that claims more must not cost memory. */
export const maxLayers = 4096;

/** What one layer keeps. */
export type LayerKind = AttentionGroup & { readonly layers: 1 };

/** Joins layers that keep the same into groups, in the order in which each kind first appears. */
export function groupLayers(kinds: readonly LayerKind[]): AttentionGroup[] {
  const groups = new Map<string, AttentionGroup>();
  for (const kind of kinds) {
    const key = JSON.stringify(kind);
    const group = groups.get(key);
    groups.set(key, group === undefined ? kind : { ...group, layers: group.layers + 1 });
  }
  return [...groups.values()];
}
