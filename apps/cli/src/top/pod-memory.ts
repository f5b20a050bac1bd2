import type { Transport } from "@trivium/kube";
import { isObject, parseQuantity, quantityToNumber } from "@trivium/std";

/** The memory of each pod by its name, as `kubectl top pods` shows it; empty where nothing on the cluster measures it. */
export async function readMemory(transport: Transport, namespace: string): Promise<ReadonlyMap<string, number>> {
  const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
  const { status, body } = await transport({ method: "GET", path, headers: { accept: "application/json" } });
  if (status >= 400 || typeof body !== "string") return new Map();
  return parseMemory(body);
}

/** Reads a PodMetricsList. What is not one has no pods. */
export function parseMemory(body: string): ReadonlyMap<string, number> {
  const memory = new Map<string, number>();
  for (const item of itemsOf(body)) {
    const { metadata, containers } = item as { metadata?: { name?: unknown }; containers?: unknown };
    const bytes = (Array.isArray(containers) ? containers : []).map((one: unknown) => bytesOf(one));
    if (typeof metadata?.name === "string" && bytes.length > 0)
      memory.set(
        metadata.name,
        bytes.reduce((sum, each) => sum + each, 0),
      );
  }
  return memory;
}

function itemsOf(body: string): readonly object[] {
  try {
    const list: unknown = JSON.parse(body);
    return isObject(list) && Array.isArray(list.items) ? list.items.filter(isObject) : [];
  } catch {
    return [];
  }
}

function bytesOf(container: unknown): number {
  const { usage } = (container ?? {}) as { usage?: { memory?: unknown } };
  const quantity = parseQuantity(String(usage?.memory ?? "0"));
  return quantity === undefined ? 0 : quantityToNumber(quantity);
}
