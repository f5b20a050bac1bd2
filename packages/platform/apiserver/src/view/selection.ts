import {
  exactValueOf,
  type FieldSelector,
  type LabelSelector,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  SelectorError,
} from "@trivium/kube";
import { getOwn } from "@trivium/std";
import { badRequest } from "../refusals.ts";
import type { Resource } from "../resource.ts";
import { fieldsAt } from "../storage/storage.ts";
import type { Stored } from "../store/store.ts";

/** Which objects of a resource a caller wants. */
export interface Selection {
  readonly namespace: string | undefined;
  /** Set when one name is asked for. */
  readonly name: string | undefined;
  /** True when everything in the namespace is wanted. */
  readonly isAll: boolean;
  matches(stored: Stored): boolean;
}

export function selectionOf(resource: Resource, namespace: string, query: URLSearchParams): Selection {
  const { labels, fields } = parseSelectors(query);
  refuseUnknownFields(resource, fields);
  const within = namespace === "" ? exactValueOf(fields, "metadata.namespace") : namespace;
  const needsValues = fields.terms.some(({ field }) => field !== "metadata.name" && field !== "metadata.namespace");
  const hasLabels = (query.get("labelSelector") ?? "") !== "";
  return {
    namespace: within,
    name: exactValueOf(fields, "metadata.name"),
    isAll: !hasLabels && fields.terms.length === 0,
    matches: (stored) => {
      if (hasLabels && !matchesLabels(labels, stored.labels ?? {})) return false;
      if (fields.terms.length === 0) return true;
      const values = needsValues ? fieldsAt(resource, stored) : {};
      return matchesFields(fields, (field) => ofKey(stored, field) ?? getOwn(values, field) ?? "");
    },
  };
}

function parseSelectors(query: URLSearchParams): { labels: LabelSelector; fields: FieldSelector } {
  try {
    return {
      labels: parseLabelSelector(query.get("labelSelector") ?? ""),
      fields: parseFieldSelector(query.get("fieldSelector") ?? ""),
    };
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

function refuseUnknownFields(resource: Resource, fields: FieldSelector): void {
  const known = ["metadata.name", "metadata.namespace", ...resource.selectableFields];
  for (const { field } of fields.terms) {
    if (known.includes(field)) continue;
    if (resource.selectableFields.length > 0 || resource.origin === "custom")
      throw badRequest(`field label not supported: ${field}`);
    throw badRequest(
      `"${field}" is not a known field selector: only ${known
        .slice(0, 2)
        .map((name) => JSON.stringify(name))
        .join(", ")}`,
    );
  }
}

function ofKey({ key }: Stored, field: string): string | undefined {
  if (field === "metadata.name") return key.name;
  return field === "metadata.namespace" ? key.namespace : undefined;
}
