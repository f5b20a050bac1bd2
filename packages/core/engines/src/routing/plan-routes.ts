import type { HTTPRoute } from "@trivium/kube";
import { type AttachmentWorld, attachRoute } from "./attach-route.ts";
import { type BackendWorld, resolveBackend } from "./resolve-backends.ts";
import type { RouteEntry } from "./route-table.ts";

/** All ways to match the routes that are attached to us. */
export function planRoutes(routes: Iterable<HTTPRoute>, world: AttachmentWorld & BackendWorld): RouteEntry[] {
  const entries: RouteEntry[] = [];
  for (const route of routes) {
    const accepted = attachRoute(route, world).filter((attachment) => attachment.accepted.status === "True");
    const hostnames = new Set(accepted.flatMap((attachment) => attachment.hostnames));
    if (hostnames.size > 0) entries.push(...entriesOf(route, hostnames, world));
  }
  return entries;
}

function entriesOf(route: HTTPRoute, hostnames: ReadonlySet<string | undefined>, world: BackendWorld): RouteEntry[] {
  const name = `${route.metadata.namespace}/${route.metadata.name}`;
  const created = route.metadata.creationTimestamp ?? "";
  let place = 0;
  const entries: RouteEntry[] = [];
  for (const { backendRefs = [], filters = [], matches = [], timeouts = {} } of route.spec.rules ?? []) {
    const backends = backendRefs.map((reference) => resolveBackend(route, reference, world));
    const rule = { route: name, filters, backends, timeouts };
    for (const match of matches.length === 0 ? [{}] : matches) {
      place += 1;
      for (const hostname of hostnames) entries.push({ hostname, match, rule, created, place });
    }
  }
  return entries;
}
