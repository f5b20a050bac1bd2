/** Who makes a call. What they may do is decided by `authorization/`. */
export interface Identity {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** What else is known of the caller, as `SelfSubjectReview` shows it. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The group whose members no rule can bind: the administrator and the parts of this process. */
export const privilegedGroup = "system:masters";

export const isPrivileged = ({ groups }: Identity): boolean => groups.includes(privilegedGroup);
