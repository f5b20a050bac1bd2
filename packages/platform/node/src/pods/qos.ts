import type { api, Pod } from "@trivium/kube";
import { compareQuantity, parseQuantity } from "@trivium/std";

const counted = ["cpu", "memory"] as const;

/** Guaranteed: each container has limits for both and asks for just that. BestEffort: none says anything. Else Burstable. */
export function qosClassOf({ spec }: Pod): "BestEffort" | "Burstable" | "Guaranteed" {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const saysSomething = containers.some(({ resources = {} }) =>
    counted.some((name) => isSet(resources.requests?.[name]) || isSet(resources.limits?.[name])),
  );
  if (!saysSomething) return "BestEffort";
  return containers.every(isFixed) ? "Guaranteed" : "Burstable";
}

function isFixed({ resources = {} }: api.Container): boolean {
  return counted.every((name) => {
    const limit = resources.limits?.[name];
    if (limit === undefined || !isSet(limit)) return false;
    const request = resources.requests?.[name] ?? limit;
    const [wanted, most] = [parseQuantity(request), parseQuantity(limit)];
    return wanted !== undefined && most !== undefined && compareQuantity(wanted, most) === 0;
  });
}

function isSet(value: string | number | undefined): boolean {
  const quantity = value === undefined ? undefined : parseQuantity(value);
  const zero = parseQuantity("0");
  return quantity !== undefined && zero !== undefined && compareQuantity(quantity, zero) > 0;
}
