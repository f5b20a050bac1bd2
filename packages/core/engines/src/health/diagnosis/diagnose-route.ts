import type { Diagnosis, FieldPaths } from "@trivium/domain";
import { type Condition, findCondition, type HTTPRoute } from "@trivium/kube";

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
  /** It takes the route as it is now, and finds what the route leads to. */
  readonly accepted: boolean;
  readonly reason: string;
  readonly message: string;
}

const pending: RouteParentReport = { accepted: false, reason: "Pending", message: "" };

/** What each parent of a route reports of it as it is now. Some controllers do not report what they find behind it. */
export const readRouteParents = ({ metadata, status }: HTTPRoute): RouteParentReport[] =>
  (status?.parents ?? []).map(({ conditions = [] }) => {
    const reported = ["Accepted", "ResolvedRefs"].map((type) => findCondition(conditions, type));
    const [accepted = pending, resolved = accepted] = reported.map((one) => one && reportOf(one, metadata.generation));
    return (
      [accepted, resolved].find((one) => !one.accepted && one.reason !== "Pending") ??
      (accepted.accepted ? resolved : accepted)
    );
  });

function reportOf({ status, reason, message, observedGeneration }: Condition, generation = 0): RouteParentReport {
  if (status === "Unknown" || (observedGeneration ?? generation) < generation) return pending;
  return { accepted: status === "True", reason: reason ?? "", message: message ?? "" };
}

export type RouteOutcome =
  | { readonly is: "accepted" }
  /** It may still be accepted. */
  | { readonly is: "waiting"; readonly diagnosis: Diagnosis }
  | { readonly is: "refused"; readonly diagnosis: Diagnosis };

/** A Service is created beside its route, so that it may not be found at first. */
const passing: readonly string[] = ["Pending", "BackendNotFound"];

/** What to do about the reasons of the Gateway API. */
const remedies: Readonly<Record<string, (parent: string, route: string) => string>> = {
  NoMatchingListenerHostname: (parent, route) => `use a hostname that a listener of ${parent} has (${route})`,
  NotAllowedByListeners: (parent) => `allow routes from this namespace in spec.listeners[].allowedRoutes of ${parent}`,
  NoMatchingParent: (parent, route) => `correct the listener or port of ${parent} in ${route}`,
  RefNotPermitted: () => "create a ReferenceGrant in the namespace of the Service",
  UnsupportedValue: (parent, route) => `change ${route} to what the controller of ${parent} supports`,
};

/** Whether a route leads anywhere, and if not, why and what to do. */
export function diagnoseRoute(observed: ObservedRoute, paths: FieldPaths): RouteOutcome {
  const { subject, parents, parent } = observed;
  const route = paths.route ?? "the route";
  const refused = parents.find(({ accepted, reason }) => !accepted && !passing.includes(reason));
  if (refused !== undefined) {
    const { reason, message } = refused;
    const remedy = remedies[reason]?.(parent, route) ?? `correct ${route}, or the configuration of ${parent}`;
    return {
      is: "refused",
      diagnosis: { subject, cause: `${parent} rejected ${subject} (${reason})${after(message)}`, remedy },
    };
  }
  if (parents.length > 0 && parents.every(({ accepted }) => accepted)) return { is: "accepted" };
  return { is: "waiting", diagnosis: explainWaiting(observed, route) };
}

function explainWaiting({ subject, parents, parent, isParentMissing }: ObservedRoute, route: string): Diagnosis {
  if (isParentMissing)
    return { subject: parent, cause: `${parent} not found`, remedy: `create it, or change ${route}` };
  const unresolved = parents.find(({ reason }) => reason === "BackendNotFound");
  return unresolved === undefined
    ? {
        subject,
        cause: `Waiting for ${parent} to accept ${subject}`,
        remedy: `check that a controller for ${parent} runs if this does not change`,
      }
    : {
        subject,
        cause: `${parent} does not find what ${subject} leads to${after(unresolved.message)}`,
        remedy: "wait until the Service exists, or check its name",
      };
}

const after = (message: string): string => (message === "" ? "" : `: ${message}`);
