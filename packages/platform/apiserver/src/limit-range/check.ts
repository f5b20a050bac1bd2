import type { api, LimitRange } from "@trivium/kube";
import { compareQuantity, formatQuantity, type Quantity, quantityToNumber } from "@trivium/std";
import { type Amounts, isPositive, readAmounts } from "../quota/amounts.ts";
import { podResources } from "../quota/pod-resources.ts";

type Item = api.LimitRangeItem;

/** What one container, pod or claim states. */
interface Stated {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** What a limit range objects to in a pod. */
export function checkPodLimits({ spec }: api.Pod, { spec: range }: LimitRange): string[] {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])].map(
    ({ resources }): Stated => ({ requests: readAmounts(resources?.requests), limits: readAmounts(resources?.limits) }),
  );
  const whole: Stated = { requests: podResources(spec, "requests"), limits: podResources(spec, "limits") };
  return (range?.limits ?? []).flatMap((item) => {
    if (item.type === "Container") return containers.flatMap((stated) => checkItem(item, stated));
    return item.type === "Pod" ? checkItem(item, whole) : [];
  });
}

/** The same of a claim, which has no limits. */
export function checkClaimLimits({ spec }: api.PersistentVolumeClaim, { spec: range }: LimitRange): string[] {
  const requests = readAmounts(spec.resources?.requests);
  return (range?.limits ?? [])
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap((item) => [
      ...each(item.min, (name, bound) => belowMinimum(item.type, name, bound, { requests, limits: new Map() })),
      ...each(item.max, (name, bound) => {
        const at = `maximum ${name} usage per ${item.type} is ${formatQuantity(bound)}`;
        const request = requests.get(name);
        if (request === undefined) return `${at}. No request is specified`;
        return exceeds(request, bound) ? `${at}, but request is ${formatQuantity(request)}` : undefined;
      }),
    ]);
}

function checkItem(item: Item, stated: Stated): string[] {
  return [
    ...each(item.min, (name, bound) => belowMinimum(item.type, name, bound, stated)),
    ...each(item.max, (name, bound) => aboveMaximum(item.type, name, bound, stated)),
    ...each(item.maxLimitRequestRatio, (name, bound) => aboveRatio(item.type, name, bound, stated)),
  ];
}

function each(bounds: Item["min"], check: (name: string, bound: Quantity) => string | undefined): string[] {
  return [...readAmounts(bounds)].flatMap(([name, bound]) => check(name, bound) ?? []);
}

const exceeds = (a: Quantity, b: Quantity): boolean => compareQuantity(a, b) > 0;

function belowMinimum(type: string, name: string, bound: Quantity, { requests, limits }: Stated): string | undefined {
  const at = `minimum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (request === undefined) return `${at}.  No request is specified`;
  if (exceeds(bound, request)) return `${at}, but request is ${formatQuantity(request)}`;
  if (limit !== undefined && exceeds(bound, limit)) return `${at}, but limit is ${formatQuantity(limit)}`;
  return undefined;
}

function aboveMaximum(type: string, name: string, bound: Quantity, { requests, limits }: Stated): string | undefined {
  const at = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (limit === undefined) return `${at}.  No limit is specified`;
  if (exceeds(limit, bound)) return `${at}, but limit is ${formatQuantity(limit)}`;
  if (request !== undefined && exceeds(request, bound)) return `${at}, but request is ${formatQuantity(request)}`;
  return undefined;
}

function aboveRatio(type: string, name: string, bound: Quantity, { requests, limits }: Stated): string | undefined {
  const at = `${name} max limit to request ratio per ${type} is ${formatQuantity(bound)}`;
  const [request, limit] = [requests.get(name), limits.get(name)];
  if (request === undefined || !isPositive(request)) return `${at}, but no request is specified or request is 0`;
  if (limit === undefined || !isPositive(limit)) return `${at}, but no limit is specified or limit is 0`;
  const ratio = quantityToNumber(limit) / quantityToNumber(request);
  return ratio > quantityToNumber(bound) ? `${at}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
