/** A path on a Gateway under which a Service is reached; the path itself is not passed on. */
export interface RoutePlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly parent: RouteParent;
  readonly path: string;
  readonly backend: { readonly name: string; readonly port: number };
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
