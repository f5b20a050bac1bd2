import { canonicalJson, isObject, type JsonObject, setOwn } from "@trivium/std";
import type { AnyObject } from "../object.ts";
import { faultsOfMerging } from "./check-config.ts";
import { compare } from "./compare.ts";
import { difference, type FieldSet, noFields } from "./fields/field-set.ts";
import { fieldSetOf } from "./fields/typed-set.ts";
import type { MergeType } from "./merge-type.ts";
import { escapedForHtml } from "./patch/go-text.ts";

export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The one manager whose client-side applies carry over: others that want that name themselves otherwise. */
export const kubectl = "kubectl";

/**
 * What client-side `kubectl apply` last set and nobody changed since. `kubectl apply --server-side` may take it over
 * without a conflict.
 */
export function fieldsLastApplied(type: MergeType, live: AnyObject): FieldSet {
  const text = live.metadata.annotations?.[lastAppliedAnnotation];
  const last = text === undefined ? undefined : parseObject(text);
  if (last === undefined || last.apiVersion !== live.apiVersion) return noFields;
  const stored = live as unknown as JsonObject;
  if (faultsOfMerging(type, last).length > 0 || faultsOfMerging(type, stored).length > 0) return noFields;
  const { changed, removed } = compare(type, stored, last, "merged");
  return difference(difference(fieldSetOf(type, last), changed), removed);
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object with its last-applied annotation, if it has one, brought up to what was applied now. */
export function withLastApplied(object: AnyObject, applied: AnyObject): AnyObject {
  const annotations = object.metadata.annotations;
  if (!annotations?.[lastAppliedAnnotation]) return object;
  const text = `${escapedForHtml(canonicalJson(withoutAnnotation(applied)))}\n`;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [lastAppliedAnnotation]: text } },
  };
}

function withoutAnnotation(applied: AnyObject): AnyObject {
  if (!isObject(applied.metadata.annotations)) return applied;
  const annotations: Record<string, string> = {};
  for (const [key, value] of Object.entries(applied.metadata.annotations)) {
    // A null is an empty text here, as everywhere under free keys.
    if (key !== lastAppliedAnnotation) setOwn(annotations, key, value ?? "");
  }
  return { ...applied, metadata: { ...applied.metadata, annotations } };
}
