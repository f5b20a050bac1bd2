import type { AnyObject } from "@trivium/kube";
import { parseAllDocuments } from "yaml";

export interface ReadManifests {
  readonly objects: readonly AnyObject[];
  /** What is wrong with which document, counted from 1. */
  readonly faults: readonly string[];
}

/** The objects of a text with one or several documents; every fault is reported, not only the first. */
export function readManifests(text: string): ReadManifests {
  const [objects, faults]: [AnyObject[], string[]] = [[], []];
  for (const [at, document] of parseAllDocuments(text).entries()) {
    if (!("errors" in document)) continue;
    const [error] = document.errors;
    if (error !== undefined) {
      faults.push(`document ${at + 1}: ${error.message.split("\n")[0]}`);
      continue;
    }
    for (const object of itemsOf(document.toJS({ maxAliasCount: 100 }) as unknown)) {
      const fault = faultOf(object);
      if (fault === undefined) objects.push(object as AnyObject);
      else faults.push(`document ${at + 1}: ${fault}`);
    }
  }
  return { objects, faults };
}

/** A List stands for its items, and an empty document for nothing. */
function itemsOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  const { kind, items } = value as { kind?: unknown; items?: unknown };
  return kind === "List" && Array.isArray(items) ? items : [value];
}

function faultOf(value: unknown): string | undefined {
  const { apiVersion, kind, metadata } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof apiVersion !== "string" || typeof kind !== "string") return "apiVersion and kind are missing";
  const name = (metadata as { name?: unknown } | undefined)?.name;
  return typeof name === "string" && name !== "" ? undefined : `${kind} has no metadata.name`;
}
