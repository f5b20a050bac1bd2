import type { api, Pod } from "@trivium/kube";
import { duplicate, type FieldError, forbidden } from "@trivium/schema";
import { deepEqual } from "@trivium/std";
import { notFound, requiredLabel, requiredText } from "../../checks/values.ts";

const at = "spec.ephemeralContainers";
/** What only containers have that a pod was created with. */
const notAllowed = ["ports", "lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;

/** Containers that are added to a pod to look into it: those that are there stay as they are. */
export function checkEphemerals({ spec }: Pod, old: Pod): FieldError[] {
  const next = spec.ephemeralContainers ?? [];
  const mains = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name);
  const names = new Set(mains);
  const faults = next.flatMap((container, index) => {
    const here = `${at}[${index}]`;
    const { name, image = "", targetContainerName: target = "", resources } = container;
    const isTwin = names.has(name);
    names.add(name);
    return [
      ...requiredLabel(`${here}.name`, name),
      ...(isTwin ? [duplicate(`${here}.name`, name)] : []),
      ...requiredText(`${here}.image`, image),
      ...(target === "" || mains.includes(target) ? [] : [notFound(`${here}.targetContainerName`, target)]),
      ...notAllowed.filter((field) => container[field] !== undefined).map((field) => refused(`${here}.${field}`)),
      ...(Object.keys(resources ?? {}).length > 0 ? [refused(`${here}.resources`)] : []),
    ];
  });
  return [...faults, ...checkKept(next, old.spec.ephemeralContainers ?? [])];
}

const refused = (field: string): FieldError => forbidden(field, "cannot be set for an Ephemeral Container");

function checkKept(next: readonly api.EphemeralContainer[], old: readonly api.EphemeralContainer[]): FieldError[] {
  return old.flatMap((before) => {
    const now = next.find(({ name }) => name === before.name);
    if (now !== undefined && deepEqual(now, before)) return [];
    const what = now === undefined ? "removed" : "changed";
    return [forbidden(at, `existing ephemeral containers ${JSON.stringify(before.name)} may not be ${what}\n`)];
  });
}
