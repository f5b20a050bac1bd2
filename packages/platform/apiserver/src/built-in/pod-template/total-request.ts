import type { api } from "@trivium/kube";
import { addQuantity, compareQuantity, formatQuantity, getOwn, parseQuantity, type Quantity } from "@trivium/std";

/** What the containers ask for together; initialisation runs one at a time, so only its largest wish counts. */
export function totalRequest(spec: api.PodSpec, name: string): string | undefined {
  const asked = (container: api.Container): Quantity[] => {
    const quantity = parseQuantity(getOwn(container.resources?.requests, name) ?? "");
    return quantity === undefined ? [] : [quantity];
  };
  const together = spec.containers.flatMap(asked);
  const largest = (spec.initContainers ?? []).flatMap(asked).sort(compareQuantity).at(-1);
  const sum = together.length === 0 ? largest : together.reduce(addQuantity);
  if (sum === undefined) return undefined;
  return formatQuantity(largest !== undefined && compareQuantity(largest, sum) > 0 ? largest : sum);
}
