/** The address under which pods are reached. */
export interface ServicePlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Nothing: somebody else says who answers. */
  readonly selector?: Readonly<Record<string, string>>;
  readonly type: "ClusterIP" | "NodePort" | "LoadBalancer";
  readonly ports: readonly ServicePortPlan[];
  /** The address wished for, where it is a load balancer. */
  readonly loadBalancerIP?: string | undefined;
}

export interface ServicePortPlan {
  readonly name: string;
  readonly port: number;
  /** Name of a container port, or its number. */
  readonly target: string | number;
  readonly nodePort?: number | undefined;
}
