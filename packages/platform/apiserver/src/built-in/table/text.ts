import { type api, formatLabelSelector, selectorOf } from "@trivium/kube";

/** `a=b,c=d` in the order of keys, or `<none>`. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {})
    .sort(byKey)
    .map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.join(",");
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** A selector in the form that `kubectl get -l` takes; empty for one that selects everything. */
export function formatSelector(selector: api.LabelSelector | undefined): string {
  try {
    return formatLabelSelector(selectorOf(selector));
  } catch {
    return "<invalid>";
  }
}

export const selectorOrNone = (selector: api.LabelSelector | undefined): string => formatSelector(selector) || "<none>";

export const containerNames = (template: api.PodTemplateSpec | undefined): string =>
  (template?.spec?.containers ?? []).map((container) => container.name).join(",");

export const containerImages = (template: api.PodTemplateSpec | undefined): string =>
  (template?.spec?.containers ?? []).map((container) => container.image ?? "").join(",");

/** The first few of a list, and how many more there are. */
export function firstFew(items: readonly string[], most: number, separator = ","): string {
  const head = items.slice(0, most).join(separator);
  return items.length > most ? `${head} + ${items.length - most} more...` : head;
}

/** Addresses of a load balancer, each once, in order. */
export function balancerAddresses(
  ingress: readonly { ip?: string | undefined; hostname?: string | undefined }[] = [],
): string {
  const found = ingress.map((one) => one.ip || one.hostname || "").filter((address) => address !== "");
  return [...new Set(found)].sort().join(",");
}
