/** Why a volume cannot be mounted yet, in the words of a kubelet; it is tried again. */
export class MountFault extends Error {
  readonly reason = "FailedMount";
  /** Resolves when what was missing may be there. */
  readonly until: Promise<void> | undefined;

  constructor(message: string, until?: Promise<void>) {
    super(message);
    this.name = "MountFault";
    this.until = until;
  }
}
