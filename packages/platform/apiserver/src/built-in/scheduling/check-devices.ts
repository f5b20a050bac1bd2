import type { api, DeviceClass } from "@trivium/kube";
import { duplicate, type FieldError, invalid, notSupported, required } from "@trivium/schema";
import { dnsLabel, dnsSubdomain, unique } from "../checks/values.ts";

/** What a claim asks for; expressions that choose devices are judged by whoever gives devices out. */
export function checkDeviceClaim(at: string, claim: api.DeviceClaim | undefined): FieldError[] {
  const requests = claim?.requests ?? [];
  return [
    ...requests.flatMap((request, index) => checkRequest(`${at}.requests[${index}]`, request)),
    ...unique(
      requests,
      (request) => request.name,
      (index) => `${at}.requests[${index}]`,
    ),
  ];
}

function checkRequest(at: string, { name, exactly, firstAvailable = [] }: api.DeviceRequest): FieldError[] {
  const faults = dnsLabel(`${at}.name`, name);
  const choice = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly && firstAvailable.length > 0)
    return [...faults, invalid(at, null, `${choice}, but multiple fields are set`)];
  if (exactly) return [...faults, ...checkAsked(`${at}.exactly`, exactly)];
  if (firstAvailable.length === 0) return [...faults, required(at, choice)];
  const seen = new Set<string>();
  const requests = firstAvailable.flatMap((request, index) => {
    const here = `${at}.firstAvailable[${index}]`;
    const twin = seen.has(request.name) ? [duplicate(here, request.name)] : [];
    seen.add(request.name);
    return [...dnsLabel(`${here}.name`, request.name), ...checkAsked(here, request), ...twin];
  });
  return [...faults, ...requests];
}

function checkAsked(at: string, asked: api.ExactDeviceRequest | api.DeviceSubRequest): FieldError[] {
  const { deviceClassName, allocationMode = "", count = 0 } = asked;
  return [
    ...(deviceClassName ? dnsSubdomain(`${at}.deviceClassName`, deviceClassName) : [required(`${at}.deviceClassName`)]),
    ...checkCount(at, allocationMode, count),
  ];
}

function checkCount(at: string, mode: string, count: number): FieldError[] {
  if (mode === "ExactCount") return count > 0 ? [] : [invalid(`${at}.count`, count, "must be greater than zero")];
  if (mode !== "All") return [notSupported(`${at}.allocationMode`, mode, ["All", "ExactCount"])];
  return count === 0 ? [] : [invalid(`${at}.count`, count, "must not be specified when allocationMode is 'All'")];
}

export function checkDeviceClass({ spec }: DeviceClass): FieldError[] {
  return (spec?.selectors ?? []).flatMap(({ cel }, index) => (cel ? [] : [required(`spec.selectors[${index}].cel`)]));
}
