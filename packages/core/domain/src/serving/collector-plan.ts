/** What collects measurements beside a server and hands them to whoever scales by them. */
export interface CollectorPlan {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The port of the pod that tells measurements. */
  readonly port: number;
  /** Put on each measurement, so that those of several services are told apart. */
  readonly marks: Readonly<Record<string, string>>;
  /** All when empty. */
  readonly metricNames: readonly string[];
  readonly sendTo: string;
}
