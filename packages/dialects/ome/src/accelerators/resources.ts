import type { ObservedClass } from "./candidate.ts";

/** What a pod requests to get an accelerator of the class, each resource by its name. */
export const resourcesOf = (found: ObservedClass | undefined): Record<string, string> =>
  Object.fromEntries((found?.spec.resources ?? []).map(({ name, quantity = 1 }) => [name, String(quantity)]));
