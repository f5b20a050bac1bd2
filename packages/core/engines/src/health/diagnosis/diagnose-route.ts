import type { Diagnosis, FieldPaths } from "@trivium/domain";

/** What the controllers of a route report of it. */
export interface ObservedRoute {
  /** `HTTPRoute chat`. */
  readonly subject: string;
  readonly parents: readonly RouteParentReport[];
  /** The Gateway or IngressClass that it is for, with its kind: `Gateway infra/main`. */
  readonly parent: string;
  readonly isParentMissing: boolean;
}

export interface RouteParentReport {
  readonly accepted: boolean;
  readonly reason: string;
  readonly message: string;
}

export type RouteOutcome =
  | { readonly is: "accepted" }
  /** It may still be accepted. */
  | { readonly is: "waiting"; readonly diagnosis: Diagnosis }
  | { readonly is: "refused"; readonly diagnosis: Diagnosis };

/** What to do about the reasons of the Gateway API. */
const remedies: Readonly<Record<string, (parent: string, route: string) => string>> = {
  NoMatchingListenerHostname: (parent, route) => `use a hostname that a listener of ${parent} has (${route})`,
  NotAllowedByListeners: (parent) => `allow routes from this namespace in spec.listeners[].allowedRoutes of ${parent}`,
  NoMatchingParent: (parent, route) => `correct the listener or port of ${parent} in ${route}`,
  RefNotPermitted: () => "create a ReferenceGrant in the namespace of the Service",
  BackendNotFound: () => "wait until the Service exists, or check its name",
  UnsupportedValue: (parent, route) => `change ${route} to what the controller of ${parent} supports`,
};

/** Whether a route leads anywhere, and if not, why and what to do. */
export function diagnoseRoute(observed: ObservedRoute, paths: FieldPaths): RouteOutcome {
  const { subject, parents, parent, isParentMissing } = observed;
  const route = paths.route ?? "the route";
  const refused = parents.find(({ accepted, reason }) => !accepted && reason !== "Pending");
  if (refused !== undefined) {
    const { reason, message } = refused;
    const remedy = remedies[reason]?.(parent, route) ?? `correct ${route}, or the configuration of ${parent}`;
    return {
      is: "refused",
      diagnosis: { subject, cause: `${parent} rejected ${subject} (${reason}): ${message}`, remedy },
    };
  }
  if (parents.length > 0 && parents.every(({ accepted }) => accepted)) return { is: "accepted" };
  const diagnosis = isParentMissing
    ? { subject: parent, cause: `${parent} not found`, remedy: `create it, or change ${route}` }
    : {
        subject,
        cause: `Waiting for ${parent} to accept ${subject}`,
        remedy: `check that a controller for ${parent} runs if this does not change`,
      };
  return { is: "waiting", diagnosis };
}
