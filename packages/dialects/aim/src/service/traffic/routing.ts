import { gatewayDuration } from "@trivium/kube";
import { sha256Hex } from "@trivium/std";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import type { Service } from "../names/names.ts";
import type { ConflictingRoute, ObservedRoute } from "../observed/observed-service.ts";
import { renderPath } from "./path-template.ts";

export type Routing =
  | { readonly is: "off" }
  | { readonly is: "no gateway" }
  | { readonly is: "faulty"; readonly why: string }
  | {
      readonly is: "on";
      readonly path: string;
      readonly parent: NonNullable<Settings["routing"]["gatewayRef"]>;
      /** The same for all routes with this path on this Gateway. */
      readonly key: string;
      readonly timeout?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };

/** How a service is reached, from its own words over those of its config. */
export function planRouting(service: Service, { routing }: Settings): Routing {
  if (routing.enabled !== true) return { is: "off" };
  const { gatewayRef, requestTimeout, annotations } = routing;
  if (gatewayRef === undefined) return { is: "no gateway" };
  const rendered = renderPath(service, routing.pathTemplate);
  if (rendered.is === "faulty") return rendered;
  const timeout = requestTimeout === undefined ? undefined : gatewayDuration(requestTimeout);
  if (requestTimeout !== undefined && timeout === undefined)
    return {
      is: "faulty",
      why: `routing.requestTimeout "${requestTimeout}" is not a valid duration (expected e.g. 30s or 5m)`,
    };
  const { namespace = service.metadata.namespace, name, group = gatewayGroup, kind = "Gateway" } = gatewayRef;
  const { path } = rendered;
  return {
    is: "on",
    path,
    parent: { ...gatewayRef, group, kind, ...(namespace === undefined ? {} : { namespace }) },
    key: sha256Hex(JSON.stringify([group, kind, namespace, name, path])).slice(0, 32),
    ...(timeout === undefined ? {} : { timeout }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

const gatewayGroup = "gateway.networking.k8s.io";

/** Of several routes with one path the oldest stays; who was there first is told by the API, and by names where it is the same moment. */
export function olderConflict(
  service: Service,
  route: ObservedRoute | undefined,
  conflicts: readonly ConflictingRoute[],
): ConflictingRoute | undefined {
  const { namespace = "", name = "" } = service.metadata;
  const mine = ageOf({ namespace, name, createdAt: route?.createdAt ?? "9999" });
  return [...conflicts].sort((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1)).find((conflict) => ageOf(conflict) < mine);
}

const ageOf = ({ createdAt, namespace, name }: ConflictingRoute): string => `${createdAt} ${namespace}/${name}`;
