import { canonicalJson, shortHash } from "@trivium/std";

/** The fingerprint of a pod template. `collisions` tells apart what by accident would have the same. */
export function templateHash(template: unknown, collisions: number | undefined): string {
  return shortHash(`${canonicalJson(template)} ${collisions ?? ""}`, 10);
}
