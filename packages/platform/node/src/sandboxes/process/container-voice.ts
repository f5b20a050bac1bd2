import type { ContainerEvent, ContainerRun } from "../../sandbox.ts";
import type { ProcessWorld } from "./process-world.ts";

/** How one run of a container is heard: by its pod, by those who describe the pod, and by whoever looks after the agent. */
export class ContainerVoice {
  readonly #world: ProcessWorld;
  readonly #run: ContainerRun;
  readonly #onEvent: (event: ContainerEvent) => void;
  #isSilent = false;

  constructor(world: ProcessWorld, run: ContainerRun, onEvent: (event: ContainerEvent) => void) {
    this.#world = world;
    this.#run = run;
    this.#onEvent = onEvent;
  }

  tell(event: ContainerEvent): void {
    if (!this.#isSilent) this.#onEvent(event);
  }

  note(type: "Normal" | "Warning", reason: string, message: string): void {
    this.tell({ is: "note", type, reason, message });
  }

  failure(doing: string, error: unknown): void {
    const { pod, container } = this.#run;
    const { namespace, name } = pod.metadata;
    this.#world.onError(`container ${container.name} of pod ${namespace}/${name}: ${doing}`, error);
  }

  /** The agent goes: nothing more is said. */
  fallSilent(): void {
    this.#isSilent = true;
  }
}
