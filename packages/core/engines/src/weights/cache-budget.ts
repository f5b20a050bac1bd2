import { parseQuantity, quantityToNumber } from "@trivium/std";

/** On a namespace: how much space cached weights can use there together, where the API of a dialect has no field for it. */
export const cacheBudgetAnnotation = "trivium.dev/cache-budget";

export interface CacheBudget {
  /** Undefined: no limit. */
  readonly bytes?: number;
  /** Why the annotation has no effect. */
  readonly fault?: string;
}

/** The annotation wins over what the operator sets for all namespaces. */
export function parseCacheBudget(
  annotations: Readonly<Record<string, string>> | undefined,
  general: string | undefined,
): CacheBudget {
  const text = annotations?.[cacheBudgetAnnotation];
  const own = text === undefined ? undefined : bytesOf(text.trim());
  const bytes = own ?? (general === undefined ? undefined : bytesOf(general));
  const isWrong = text !== undefined && own === undefined;
  const fault = `Annotation ${cacheBudgetAnnotation} "${text?.slice(0, 100)}" has no effect: expected a quantity such as 200Gi; correct it`;
  return { ...(bytes === undefined ? {} : { bytes }), ...(isWrong ? { fault } : {}) };
}

function bytesOf(text: string): number | undefined {
  const quantity = parseQuantity(text);
  const bytes = quantity === undefined ? 0 : quantityToNumber(quantity);
  return bytes > 0 ? bytes : undefined;
}
