/** Hosts that an ingress controller sends to Services. */
export interface IngressPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly className?: string | undefined;
  readonly rules: readonly IngressRulePlan[];
}

export interface IngressRulePlan {
  readonly host: string;
  readonly service: string;
  readonly port: number;
}
