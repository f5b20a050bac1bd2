import type { AuditedCall } from "./audit.ts";
import type { Fleet, FleetStatus } from "./fleets.ts";

/**
 * When services were first reported as ready, by the writes of their status: the time of the last one in milliseconds since 1970, and how many
 * there were.
 */
export function readinessIn(
  calls: readonly AuditedCall[],
  { service, isReady }: Pick<Fleet, "service" | "isReady">,
): { readonly count: number; readonly last: number } {
  const first = new Map<string, number>();
  for (const { resource, subresource, code, name, at, body } of calls) {
    if (resource !== service.plural || subresource !== "status" || code >= 300 || first.has(name)) continue;
    const { status = {} } = (body ?? {}) as { status?: FleetStatus };
    if (isReady(status)) first.set(name, at);
  }
  return { count: first.size, last: Math.max(0, ...first.values()) };
}
