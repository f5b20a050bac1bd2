import type { RuntimeSpec } from "./traits.ts";

export type RuntimeScope = "namespace" | "cluster";

export interface RuntimeName {
  readonly name: string;
  readonly scope: RuntimeScope;
}

/** A runtime that can be chosen, of the service's namespace or of the whole cluster. */
export interface Candidate extends RuntimeName {
  readonly spec: RuntimeSpec;
}

/** Runtimes of both scopes can share a name. */
export const idOf = ({ scope, name }: RuntimeName): string => `${scope}/${name}`;

export const describeRuntime = ({ scope, name }: RuntimeName): string =>
  `${scope === "cluster" ? "ClusterServingRuntime" : "ServingRuntime"} ${name}`;
