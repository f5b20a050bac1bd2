import { type AnyObject, formatLabelSelector, readScalePath, type ScalePaths, selectorOf } from "@trivium/kube";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { Resource } from "../../resource.ts";

export const scaleHead = { apiVersion: "autoscaling/v1", kind: "Scale" } as const;

/** Built-in workloads all keep their selector in the spec. */
export function scalePathsOf({ origin, subresources }: Resource): ScalePaths {
  const paths = subresources.scale as ScalePaths;
  return origin === "built-in" ? { ...paths, labelSelectorPath: ".spec.selector" } : paths;
}

/** An object as its Scale. */
export function scaleOf(object: AnyObject, paths: ScalePaths): AnyObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata = JSON.parse(
    JSON.stringify({ name, namespace, uid, resourceVersion, creationTimestamp }),
  ) as AnyObject["metadata"];
  const replicas = numberAt(object, paths.specReplicasPath);
  const selector = selectorText(paths.labelSelectorPath && readScalePath(object, paths.labelSelectorPath));
  const status: JsonObject = { replicas: numberAt(object, paths.statusReplicasPath) };
  if (selector !== "") status.selector = selector;
  return { ...scaleHead, metadata, spec: replicas === 0 ? {} : { replicas }, status };
}

function numberAt(object: AnyObject, path: string): number {
  const value = readScalePath(object, path);
  return typeof value === "number" ? value : 0;
}

/** Custom resources keep the selector as text, workloads as an object. */
function selectorText(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (!isObject(value)) return "";
  const isBare = value.matchLabels === undefined && value.matchExpressions === undefined;
  return formatLabelSelector(selectorOf((isBare ? { matchLabels: value } : value) as Parameters<typeof selectorOf>[0]));
}
