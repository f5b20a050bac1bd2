import { randomUUID } from "node:crypto";
import { type AnyObject, CustomResourceDefinition } from "@trivium/kube";
import { formatTime, type Instant } from "@trivium/std";
import type { SeedObject } from "../storage/seed-store.ts";
import type { Definition } from "./definition.ts";
import { definitionStatus, namesTakenBy } from "./names.ts";

/**
 * A definition as this server stores it when it is created, to seed a store with. Nothing is checked: it is for definitions of our own,
 * whose names nobody else in the store has.
 */
export function establishedDefinition(definition: CustomResourceDefinition, now: Instant): SeedObject {
  const { metadata, spec } = definition as unknown as Definition;
  const crd: Definition = {
    ...(definition as unknown as Definition),
    metadata: { ...metadata, uid: randomUUID(), creationTimestamp: formatTime(now), generation: 1 },
    spec: { ...spec, conversion: spec.conversion ?? { strategy: "None" } },
  };
  const status = definitionStatus(crd, namesTakenBy([]), now);
  return { kind: CustomResourceDefinition, object: { ...crd, status } as unknown as AnyObject };
}
