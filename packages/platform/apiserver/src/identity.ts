/** Who makes a call. The embedded server lets every authenticated caller do everything. */
export interface Identity {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What else is known of the caller, as `SelfSubjectReview` shows it. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
