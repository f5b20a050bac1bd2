import type { Backend } from "@trivium/domain";
import type { HTTPRoute } from "@trivium/kube";

type Spec = NonNullable<HTTPRoute["spec"]["rules"]>[number];
export type RouteFilter = NonNullable<Spec["filters"]>[number];
export type RouteMatch = NonNullable<Spec["matches"]>[number];
export type RouteTimeouts = NonNullable<Spec["timeouts"]>;
export type BackendReference = NonNullable<Spec["backendRefs"]>[number];

/** Where a share of a rule's requests goes, or why it cannot. */
export type WeightedBackend =
  | {
      readonly is: "backend";
      readonly backend: Backend;
      readonly weight: number;
      readonly filters: readonly RouteFilter[];
    }
  | { readonly is: "invalid"; readonly weight: number; readonly reason: string; readonly message: string };

/** What is done with a request that matched. */
export interface RouteRule {
  /** `namespace/name` of the HTTPRoute. */
  readonly route: string;
  readonly filters: readonly RouteFilter[];
  readonly backends: readonly WeightedBackend[];
  readonly timeouts: RouteTimeouts;
}

/** One way to match a rule. */
export interface RouteEntry {
  /** Exact (`a.example.com`), wildcard (`*.example.com`), or nothing for any host. */
  readonly hostname: string | undefined;
  readonly match: RouteMatch;
  readonly rule: RouteRule;
  /** When the route was made; the older one wins a tie. */
  readonly created: string;
  /** Place of the rule in its route, and of the match in the rule. */
  readonly place: number;
}

/** The parts of a request that routes look at. */
export interface RouteRequest {
  readonly host: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly method: string;
  header(name: string): string | undefined;
}

export interface MatchedRoute {
  readonly rule: RouteRule;
  readonly entry: RouteEntry;
}
