import type { Pod } from "@trivium/kube";
import { waitFor } from "@trivium/runtime";
import type { NodePorts } from "../node-ports.ts";
import type { PodSetup } from "../sandbox.ts";

export interface SetupRequest {
  readonly signal: AbortSignal;
  /** Nobody wants the room any more. */
  isOver(): boolean;
  /** There is a room after all, too late. */
  onLate(setup: PodSetup): void;
  onError(error: unknown): void;
}

/** Tries until there is room for the pod, or nobody wants it any more, and tells those who look why there is none. */
export async function openSetup(
  { sandbox, notes, clock, backoff }: NodePorts,
  pod: () => Pod,
  { signal, isOver, onLate, onError }: SetupRequest,
): Promise<PodSetup | undefined> {
  while (!signal.aborted && !isOver()) {
    try {
      const setup = await sandbox.open(pod());
      if (!signal.aborted && !isOver()) return setup;
      onLate(setup);
    } catch (error) {
      onError(error);
      const { reason, message, until } = faultOf(error);
      notes.tell(pod(), { type: "Warning", reason, message });
      const changed = new AbortController();
      void until?.then(() => changed.abort());
      await waitFor(clock, backoff.first, AbortSignal.any([signal, changed.signal]));
    }
  }
  return undefined;
}

interface SetupFault {
  readonly reason: string;
  readonly message: string;
  readonly until: Promise<void> | undefined;
}

/** Whoever makes rooms may say what it is that failed, and when another try makes sense. */
function faultOf(error: unknown): SetupFault {
  const message = error instanceof Error ? error.message : String(error);
  const { reason, until } = (error ?? {}) as { readonly reason?: unknown; readonly until?: unknown };
  const wake = until instanceof Promise ? (until as Promise<void>) : undefined;
  if (typeof reason === "string") return { reason, message, until: wake };
  return { reason: "FailedCreatePodSandBox", message: `Failed to create pod sandbox: ${message}`, until: wake };
}
