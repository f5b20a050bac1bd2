import type { api } from "@trivium/kube";
import { type Accelerator, factsOfAccelerators } from "./accelerators.ts";

/** Which cards a container has, by the resource it asked for. */
export type Assigned = Readonly<Record<string, readonly number[]>>;

/** How a process is told which cards of a resource are its own. */
const variables: Readonly<Record<string, readonly string[]>> = {
  "nvidia.com/gpu": ["CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"],
  "amd.com/gpu": ["HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"],
};

/** Gives each container that asks for accelerators cards that no other has. */
export class DeviceBook {
  readonly #counts: Readonly<Record<string, number>>;
  readonly #taken = new Map<string, Assigned>();

  constructor(accelerators: readonly Accelerator[]) {
    const { capacity } = factsOfAccelerators(accelerators);
    this.#counts = Object.fromEntries(Object.entries(capacity).map(([name, count]) => [name, Number(count)]));
  }

  /** What a container got from an earlier agent. */
  restore(owner: string, assigned: Assigned): void {
    this.#taken.set(owner, assigned);
  }

  /** The cards of a container, the same for each of its runs. Undefined when the node has not enough that are free. */
  take(owner: string, { resources }: api.Container): Assigned | undefined {
    const held = this.#taken.get(owner);
    if (held !== undefined) return held;
    const assigned: Record<string, readonly number[]> = {};
    for (const resource of Object.keys(variables)) {
      const wanted = Number(resources?.limits?.[resource] ?? resources?.requests?.[resource] ?? 0);
      if (!(wanted > 0)) continue;
      const free = this.#free(resource);
      if (free.length < wanted) return undefined;
      assigned[resource] = free.slice(0, wanted);
    }
    if (Object.keys(assigned).length > 0) this.#taken.set(owner, assigned);
    return assigned;
  }

  /** All containers of a pod, whose owners begin with its uid. */
  release(uid: string): void {
    for (const owner of [...this.#taken.keys()]) if (owner.startsWith(`${uid}/`)) this.#taken.delete(owner);
  }

  #free(resource: string): number[] {
    const used = new Set([...this.#taken.values()].flatMap((assigned) => assigned[resource] ?? []));
    return Array.from({ length: this.#counts[resource] ?? 0 }, (_, index) => index).filter((index) => !used.has(index));
  }
}

export function environmentOfDevices(assigned: Assigned): Record<string, string> {
  const entries = Object.entries(assigned).flatMap(([resource, cards]) =>
    (variables[resource] ?? []).map((name) => [name, cards.join(",")] as const),
  );
  return Object.fromEntries(entries);
}
