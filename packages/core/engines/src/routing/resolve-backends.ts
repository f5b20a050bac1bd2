import type { HTTPRoute, Ref, ReferenceGrant, Service } from "@trivium/kube";
import type { RouteCondition } from "./attach-route.ts";
import type { BackendReference, RouteFilter, WeightedBackend } from "./route-table.ts";

/** What must be known of the world to resolve the backends of a route. */
export interface BackendWorld {
  service(ref: Ref): Service | undefined;
  /** The ReferenceGrants of a namespace. */
  grants(namespace: string): readonly ReferenceGrant[];
}

type Reference = Pick<BackendReference, "group" | "kind" | "name" | "namespace" | "port">;

/** A backend reference as a place to send requests to, or the reason of the Gateway API why it is none. */
export function resolveBackend(
  route: HTTPRoute,
  reference: Reference & { readonly weight?: number | undefined; readonly filters?: RouteFilter[] | undefined },
  world: BackendWorld,
): WeightedBackend {
  const { weight = 1, filters = [] } = reference;
  const home = route.metadata.namespace ?? "";
  const namespace = reference.namespace ?? home;
  const name = `${namespace}/${reference.name}`;
  const invalid = (reason: string, message: string): WeightedBackend => ({ is: "invalid", weight, reason, message });
  if ((reference.group ?? "") !== "" || (reference.kind ?? "Service") !== "Service") {
    return invalid("InvalidKind", `Backend ${name} is a ${reference.kind}; only Services can be backends`);
  }
  if (namespace !== home && !isGranted(home, reference.name, world.grants(namespace))) {
    return invalid(
      "RefNotPermitted",
      `No ReferenceGrant in namespace ${namespace} allows HTTPRoutes of namespace ${home} to use Service ${reference.name}`,
    );
  }
  const service = world.service({ namespace, name: reference.name });
  if (service === undefined) return invalid("BackendNotFound", `Service ${name} not found`);
  const { ports = [] } = service.spec ?? {};
  const port = reference.port ?? (ports.length === 1 ? ports[0]?.port : undefined);
  if (port === undefined) return invalid("UnsupportedValue", `Backend ${name} has no port`);
  if (!ports.some((candidate) => candidate.port === port)) {
    return invalid("BackendNotFound", `Service ${name} has no port ${port}`);
  }
  return { is: "backend", weight, filters, backend: { namespace, service: reference.name, port } };
}

function isGranted(from: string, service: string, grants: readonly ReferenceGrant[]): boolean {
  return grants.some(
    ({ spec }) =>
      spec.from.some(
        ({ group, kind, namespace }) =>
          group === "gateway.networking.k8s.io" && kind === "HTTPRoute" && namespace === from,
      ) &&
      spec.to.some(
        ({ group, kind, name }) =>
          group === "" && kind === "Service" && (name === undefined || name === "" || name === service),
      ),
  );
}

/** The verdict on all references of a route together: the first that cannot be resolved is named. */
export function resolveReferences(route: HTTPRoute, world: BackendWorld): RouteCondition {
  for (const reference of referencesOf(route)) {
    const resolved = resolveBackend(route, reference, world);
    if (resolved.is === "invalid") return { status: "False", reason: resolved.reason, message: resolved.message };
  }
  return { status: "True", reason: "ResolvedRefs", message: "All references are resolved" };
}

function referencesOf(route: HTTPRoute): Reference[] {
  return (route.spec.rules ?? []).flatMap(({ backendRefs = [], filters = [] }) => [
    ...backendRefs,
    ...mirrorsOf(filters),
    ...backendRefs.flatMap((backend) => mirrorsOf(backend.filters ?? [])),
  ]);
}

const mirrorsOf = (filters: readonly RouteFilter[]): Reference[] =>
  filters.flatMap(({ requestMirror }) => (requestMirror === undefined ? [] : [requestMirror.backendRef]));
