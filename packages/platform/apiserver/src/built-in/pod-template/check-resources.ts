import type { api } from "@trivium/kube";
import { duplicate, type FieldError, invalid, required } from "@trivium/schema";
import {
  compareQuantity,
  faultsOfQualifiedName,
  getOwn,
  parseQuantity,
  type Quantity,
  quantityToInteger,
} from "@trivium/std";
import { invalidFor, notFound } from "../checks/values.ts";
import { totalRequest } from "./total-request.ts";

type Amounts = Readonly<Record<string, number | string>>;

const native = new Set(["cpu", "memory", "ephemeral-storage"]);
const isHugePages = (name: string): boolean => name.startsWith("hugepages-");
/** Only what the node can share may be asked for beyond what is there. */
const canOvercommit = (name: string): boolean =>
  !name.includes("/") || name.includes("kubernetes.io/") ? !isHugePages(name) : false;

export function checkResources(
  at: string,
  resources: api.ResourceRequirements | undefined,
  claims: readonly string[],
): FieldError[] {
  const limits = resources?.limits ?? {};
  const requests = resources?.requests ?? {};
  return [
    ...Object.entries(limits).flatMap(([name, amount]) => checkAmount(`${at}.limits[${name}]`, name, amount)),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...checkAmount(`${at}.requests[${name}]`, name, amount),
      ...checkAgainstLimit(at, name, limits, amount),
    ]),
    ...checkClaims(`${at}.claims`, resources?.claims ?? [], claims),
  ];
}

function checkAgainstLimit(at: string, name: string, limits: Amounts, amount: number | string): FieldError[] {
  const limit = getOwn(limits, name);
  if (limit === undefined) {
    return canOvercommit(name) ? [] : [required(`${at}.limits`, "Limit must be set for non overcommitable resources")];
  }
  const order = compare(amount, limit);
  if (order !== 0 && !canOvercommit(name)) {
    return [invalid(`${at}.requests`, String(amount), `must be equal to ${name} limit of ${limit}`)];
  }
  return order > 0
    ? [invalid(`${at}.requests`, String(amount), `must be less than or equal to ${name} limit of ${limit}`)]
    : [];
}

function compare(a: number | string, b: number | string): number {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left === undefined || right === undefined ? 0 : compareQuantity(left, right);
}

export function checkAmount(at: string, name: string, amount: number | string): FieldError[] {
  return [...checkResourceName(at, name), ...checkQuantity(at, name, amount)];
}

function checkResourceName(at: string, name: string): FieldError[] {
  const faults = invalidFor(at, name, faultsOfQualifiedName(name));
  if (faults.length > 0) return faults;
  if (native.has(name) || isHugePages(name)) return [];
  if (!name.includes("/")) {
    return invalidFor(at, name, [
      "must be a standard resource type or fully qualified",
      "must be a standard resource for containers",
    ]);
  }
  const isExtended = !name.startsWith("requests.");
  return name.includes("kubernetes.io/") || isExtended
    ? []
    : [invalid(at, name, "doesn't follow extended resource name standard")];
}

const zero = parseQuantity(0) as Quantity;

function checkQuantity(at: string, name: string, amount: number | string): FieldError[] {
  const quantity = parseQuantity(amount);
  if (quantity === undefined) return [];
  if (compareQuantity(quantity, zero) < 0) return [invalid(at, String(amount), "must be greater than or equal to 0")];
  const isWhole = native.has(name) || quantityToInteger(quantity) !== undefined;
  return isWhole || !name.includes("/") ? [] : [invalid(at, String(amount), "must be an integer")];
}

function checkClaims(
  at: string,
  wanted: readonly api.ResourceClaimCoreV1[],
  declared: readonly string[],
): FieldError[] {
  const seen = new Set<string>();
  return wanted.flatMap(({ name, request }, index) => {
    const here = `${at}[${index}]`;
    if (!name) return [required(here)];
    const key = request ? `${name}/${request}` : name;
    const faults = seen.has(key) ? [duplicate(here, key)] : [];
    seen.add(key);
    if (declared.includes(name)) return faults;
    const known = declared.length === 0 ? " which is empty" : `: ${[...declared].sort().join(", ")}`;
    return [...faults, notFound(here, name, `must be one of the names in pod.spec.resourceClaims${known}`)];
  });
}

/** What a pod as a whole may use covers what its containers ask for and allow themselves. */
export function checkPodResources(at: string, spec: api.PodSpec): FieldError[] {
  const { resources } = spec;
  if (resources === undefined) return [];
  const asked = Object.entries(resources.requests ?? {}).flatMap(([name, amount]) => {
    const total = totalRequest(spec, name);
    if (total === undefined || compare(total, amount) <= 0) return [];
    return [
      invalid(
        `${at}.requests[${name}]`,
        String(amount),
        `must be greater than or equal to aggregate container requests of ${total}`,
      ),
    ];
  });
  const allowed = spec.containers.flatMap((container, index) =>
    Object.entries(container.resources?.limits ?? {}).flatMap(([name, limit]) => {
      const most = getOwn(resources.limits, name);
      if (most === undefined || compare(limit, most) <= 0) return [];
      return [
        invalid(
          `${at}.containers[${index}][${name}].limits`,
          String(limit),
          `must be less than or equal to pod limits of ${most}`,
        ),
      ];
    }),
  );
  return [...checkResources(at, { limits: resources.limits, requests: resources.requests }, []), ...asked, ...allowed];
}
