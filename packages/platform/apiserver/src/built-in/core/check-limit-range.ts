import type { api, LimitRange } from "@trivium/kube";
import { duplicate, type FieldError, forbidden, invalid, required } from "@trivium/schema";
import { compareQuantity, getOwn, parseQuantity } from "@trivium/std";
import { qualifiedName } from "../checks/values.ts";

type Bound = "min" | "max" | "default" | "defaultRequest";

/** Which bound may not lie above which, whose field and value the message shows, and its words. */
const orders: readonly {
  low: Bound;
  high: Bound;
  at: Bound;
  shows: Bound;
  says: (low: string, high: string) => string;
}[] = [
  { low: "min", high: "max", at: "min", shows: "min", says: (a, b) => `min value ${a} is greater than max value ${b}` },
  {
    low: "min",
    high: "defaultRequest",
    at: "defaultRequest",
    shows: "defaultRequest",
    says: (a, b) => `min value ${a} is greater than default request value ${b}`,
  },
  {
    low: "defaultRequest",
    high: "max",
    at: "defaultRequest",
    shows: "defaultRequest",
    says: (a, b) => `default request value ${a} is greater than max value ${b}`,
  },
  {
    low: "defaultRequest",
    high: "default",
    at: "defaultRequest",
    shows: "defaultRequest",
    says: (a, b) => `default request value ${a} is greater than default limit value ${b}`,
  },
  {
    low: "min",
    high: "default",
    at: "default",
    shows: "min",
    says: (a, b) => `min value ${a} is greater than default value ${b}`,
  },
  {
    low: "default",
    high: "max",
    at: "default",
    shows: "max",
    says: (a, b) => `default value ${a} is greater than max value ${b}`,
  },
];

export function checkLimitRange({ spec }: LimitRange): FieldError[] {
  const types = new Set<string>();
  return (spec.limits ?? []).flatMap((item, index) => {
    const at = `spec.limits[${index}]`;
    const isTwin = types.has(item.type);
    types.add(item.type);
    return [
      ...checkType(`${at}.type`, item.type),
      ...(isTwin ? [duplicate(`${at}.type`, item.type)] : []),
      ...checkPodItem(at, item),
      ...checkClaimItem(at, item),
      ...checkItem(at, item),
    ];
  });
}

function checkType(at: string, type: string): FieldError[] {
  const faults = qualifiedName(at, type);
  if (faults.length > 0 || ["Container", "Pod", "PersistentVolumeClaim"].includes(type) || type.includes("/"))
    return faults;
  return [invalid(at, type, "must be a standard limit type or fully qualified")];
}

function checkClaimItem(at: string, { type, min, max }: api.LimitRangeItem): FieldError[] {
  if (type !== "PersistentVolumeClaim" || min?.storage !== undefined || max?.storage !== undefined) return [];
  return [required(`${at}.limits`, "either minimum or maximum storage value is required, but neither was provided")];
}

function checkPodItem(at: string, item: api.LimitRangeItem): FieldError[] {
  if (item.type !== "Pod") return [];
  const given = (["default", "defaultRequest"] as const).filter((field) => Object.keys(item[field] ?? {}).length > 0);
  return given.map((field) => forbidden(`${at}.${field}`, "may not be specified when `type` is 'Pod'"));
}

function checkItem(at: string, item: api.LimitRangeItem): FieldError[] {
  const bounds: readonly Bound[] = ["min", "max", "default", "defaultRequest"];
  const names = [...new Set(bounds.flatMap((bound) => Object.keys(item[bound] ?? {})))];
  return names.flatMap((name) =>
    orders.flatMap(({ low, high, at: field, shows, says }) => {
      const [below, above] = [getOwn(item[low], name), getOwn(item[high], name)];
      if (below === undefined || above === undefined || !isGreater(below, above)) return [];
      const value = String(getOwn(item[shows], name) ?? "");
      return [invalid(`${at}.${field}[${name}]`, value, says(String(below), String(above)))];
    }),
  );
}

function isGreater(a: number | string, b: number | string): boolean {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left !== undefined && right !== undefined && compareQuantity(left, right) > 0;
}
