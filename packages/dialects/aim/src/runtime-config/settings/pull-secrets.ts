import type { SecretReferences } from "../../kinds/pod-fields.ts";

/** Each Secret once, in the order of those who name them: service, template, model, runtime config. */
export function unionSecrets(...lists: readonly (SecretReferences | undefined)[]): SecretReferences {
  const byName = new Map(lists.flatMap((list) => list ?? []).map(({ name }) => [name, { name }] as const));
  return [...byName.values()];
}

/** The first that somebody names: service, template, model, runtime config. Nothing leaves it to the namespace. */
export function firstAccount(...names: readonly (string | undefined)[]): string | undefined {
  return names.find((name) => name !== undefined && name !== "");
}
