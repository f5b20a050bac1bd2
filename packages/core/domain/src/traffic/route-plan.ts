import type { WeightedBackend } from "../serving/role-plan.ts";

/** A path on a Gateway under which Services are reached; the path itself is not passed on. */
export interface RoutePlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly parent: RouteParent;
  /** All that the Gateway listens to where there is none. */
  readonly hostnames?: readonly string[] | undefined;
  /** Absent: every path, unchanged. */
  readonly path?: string | undefined;
  /** Several share the requests by weight. */
  readonly backends: readonly WeightedBackend[];
  /** In the form of the Gateway API, such as `5m`. */
  readonly timeout?: string | undefined;
}

export interface RouteParent {
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly sectionName?: string | undefined;
  readonly port?: number | undefined;
}
