/** Files that pods read. Nothing secret is in them. */
export interface ConfigPlan {
  readonly name: string;
  /** Absent: that of the object that owns it. */
  readonly namespace?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly data?: Readonly<Record<string, string>> | undefined;
}
