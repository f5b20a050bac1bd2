import type { HttpAccess } from "@trivium/client";

/** An API server that the story is told on. It cannot be told from another one except by what is said here. */
export interface ServerUnderTest {
  readonly access: HttpAccess;
  /** Whether something removes objects whose owner is gone: in a cluster that is a controller, which may not run. */
  readonly collectsGarbage: boolean;
  /** Whether there is time to see a Lease run out. */
  readonly isPatient: boolean;
  /** How long nothing must be written for it to count as rest. */
  readonly quiet: number;
  /** Ends the server and gives back what starts it again with all that it had; nothing where it is not ours to stop. */
  readonly interrupt: (() => Promise<() => Promise<void>>) | undefined;
  close(): Promise<void>;
}
