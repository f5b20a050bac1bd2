import { type LabelSelectorObject, matchesLabels, SelectorError, selectorOf } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { GPUQuota } from "../../kinds/gpu-quota.ts";

/** Which namespaces a quota is about. */
export interface QuotaScope {
  /** Namespace and name of the quota. */
  readonly key: string;
  readonly namespaceRef?: string;
  readonly selector?: LabelSelectorObject;
}

const scopePart: Part<GPUQuota, QuotaScope | undefined> = { name: "scope of a quota", of: scopeOf };

export function scopeOf({ metadata, spec }: GPUQuota): QuotaScope | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const { namespaceRef, selector } = spec;
  return {
    key: `${metadata.namespace}/${metadata.name}`,
    ...(namespaceRef ? { namespaceRef } : {}),
    ...(selector ? { selector: selector as LabelSelectorObject } : {}),
  };
}

/** How much a quota allows does not matter to those who only ask whether there is one. */
export const listScopes = (reader: Pick<Reader<typeof GPUQuota>, "listParts">): readonly QuotaScope[] =>
  reader.listParts(GPUQuota, {}, scopePart);

/** A selector that no API server would accept selects nothing. */
export function covers(
  { namespaceRef, selector }: QuotaScope,
  namespace: string,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (namespaceRef !== undefined) return namespaceRef === namespace;
  try {
    return matchesLabels(selectorOf(selector), labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}
