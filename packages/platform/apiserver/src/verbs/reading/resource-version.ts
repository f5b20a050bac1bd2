import type { ApiError } from "@trivium/kube";

/** The number in a `resourceVersion` parameter; 0 when there is none. */
export function parseResourceVersion(text: string | null, fail: (why: string) => ApiError): number {
  if (text === null || text === "") return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const quoted = JSON.stringify(text);
  throw fail(`resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`);
}
