import type { api } from "@trivium/kube";

/** A model that KServe should run. */
export interface InferencePlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly server: /** Described elsewhere. */
    | { readonly is: "runtime"; readonly name: string; readonly format: Format }
    | { readonly is: "container"; readonly image: string; readonly port: number };
  readonly container: Pick<api.Container, "env" | "resources" | "volumeMounts" | "args">;
  readonly pod: Pick<
    api.PodSpec,
    | "volumes"
    | "initContainers"
    | "affinity"
    | "imagePullSecrets"
    | "serviceAccountName"
    | "automountServiceAccountToken"
  >;
  /** Of the pods alone. */
  readonly podAnnotations?: Readonly<Record<string, string>> | undefined;
  readonly replicas: { readonly min: number; readonly max: number };
  readonly metrics?: readonly (PodMetricPlan | UsePlan)[] | undefined;
}

interface Format {
  readonly name: string;
  readonly version: string;
}

/** A measurement of the pods that decides how many there are. */
export interface PodMetricPlan {
  readonly metric: {
    readonly backend?: "opentelemetry" | undefined;
    readonly metricNames?: readonly string[] | undefined;
    readonly operationOverTime?: string | undefined;
    readonly query?: string | undefined;
    readonly serverAddress?: string | undefined;
  };
  readonly target: api.MetricTarget;
}

/** How much of what pods ask for they use, in percent. */
export interface UsePlan {
  readonly resource: "cpu" | "memory";
  readonly utilization: number;
}
