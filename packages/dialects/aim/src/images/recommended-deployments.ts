import { isObject, type Json } from "@trivium/std";
import type { ModelStatus } from "../objects.ts";

type ImageMetadata = NonNullable<ModelStatus["imageMetadata"]>;
export type RecommendedDeployment = NonNullable<NonNullable<ImageMetadata["model"]>["recommendedDeployments"]>[number];

/** More than anybody would recommend; each becomes an object. */
const maxDeployments = 256;

/**
 * Reads the label: a JSON list of objects. Some publishers leave out the brackets, others write single quotes; both are repaired. Nothing
 * where that does not help.
 */
export function parseDeployments(label: string): RecommendedDeployment[] | undefined {
  const forms = [label, `[${label}]`, label.replaceAll("'", '"'), `[${label.replaceAll("'", '"')}]`];
  for (const form of forms) {
    const list = listIn(form);
    if (list !== undefined) return list.slice(0, maxDeployments).map(deploymentOf);
  }
  return undefined;
}

function listIn(text: string): readonly Record<string, Json>[] | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return Array.isArray(value) && value.every(isObject) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A field of another type than expected is the same as none. */
function deploymentOf(entry: Record<string, Json>): RecommendedDeployment {
  const { gpuCount } = entry;
  const count = typeof gpuCount === "string" && /^\d{1,4}$/.test(gpuCount.trim()) ? Number(gpuCount) : gpuCount;
  const isCount = typeof count === "number" && Number.isInteger(count) && count >= 0 && count <= 4_096;
  return {
    ...textOf(entry, "gpuModel"),
    ...(isCount ? { gpuCount: count } : {}),
    ...textOf(entry, "precision"),
    ...textOf(entry, "metric"),
    ...textOf(entry, "description"),
    ...textOf(entry, "profileId"),
  };
}

function textOf<K extends string>(entry: Record<string, Json>, key: K): Partial<Record<K, string>> {
  const value = entry[key];
  return typeof value === "string" && value.trim() !== "" ? ({ [key]: value.trim() } as Record<K, string>) : {};
}
