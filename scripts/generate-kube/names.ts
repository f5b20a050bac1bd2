import { type Definitions, type ResourceRow, shortNameOf } from "./facts.ts";
import { definitionOf } from "./select.ts";

/** Definitions that the project writes by hand, under the name it uses. */
export const handWritten: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": "ObjectMeta",
  "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference": "OwnerReference",
  "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry": "ManagedFields",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Condition": "Condition",
  "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta": "ListMeta",
};

/**
 * A readable name for each definition. Where two want the same one, a kind goes before a part, core before other groups
 * and a newer version before an older; the rest carry version (`HorizontalPodAutoscalerV1`) or group and version (`EventEventsV1`).
 */
export function chooseNames(definitions: Definitions, rows: readonly ResourceRow[]): ReadonlyMap<string, string> {
  const kinds = new Set(rows.map((row) => definitionOf(definitions, row)));
  const rank = (name: string): string =>
    [kinds.has(name) ? 0 : 1, name.startsWith("io.k8s.api.core.") ? 0 : 1, 9 - versionOf(name)].join();
  const taken = new Map<string, string>();
  const names = new Map<string, string>();
  for (const name of Object.keys(definitions).sort((a, b) => rank(a).localeCompare(rank(b)) || a.localeCompare(b))) {
    const plain = handWritten[name] ?? shortNameOf(name);
    const holder = taken.get(plain);
    const chosen = holder === undefined ? plain : plain + suffixOf(name, holder);
    taken.set(chosen, name);
    names.set(name, chosen);
  }
  return names;
}

const versionOf = (name: string): number => Number(/\.v(\d+)\.\w+$/.exec(name)?.[1] ?? 0);

function suffixOf(name: string, holder: string): string {
  const [group = "", version = ""] = name.split(".").slice(-3);
  return holder.split(".").at(-3) === group ? capitalised(version) : capitalised(group) + capitalised(version);
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
