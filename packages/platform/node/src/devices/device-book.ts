import type { api } from "@trivium/kube";
import { type Accelerator, factsOfAccelerators } from "./accelerators.ts";

/** Which cards a container has, by the resource it asked for. */
export type Assigned = Readonly<Record<string, readonly number[]>>;

/** How a process is told which cards of a resource are its own. */
const variables: Readonly<Record<string, readonly string[]>> = {
  "nvidia.com/gpu": ["CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "GGML_VK_VISIBLE_DEVICES"],
  "amd.com/gpu": ["HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "GGML_VK_VISIBLE_DEVICES"],
};

/** Gives each container that asks for accelerators cards that no other has. */
export class DeviceBook {
  /** By resource: how many cards there are, and how many containers one can have. */
  readonly #cards: Readonly<Record<string, { readonly count: number; readonly shares: number }>>;
  readonly #taken = new Map<string, Assigned>();

  constructor(accelerators: readonly Accelerator[]) {
    const shares = Math.max(1, ...accelerators.map((accelerator) => accelerator.shares ?? 1));
    const { capacity } = factsOfAccelerators(accelerators.map(({ shares: _, ...card }) => card));
    this.#cards = Object.fromEntries(
      Object.entries(capacity).map(([name, count]) => [name, { count: Number(count), shares }]),
    );
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

  /** Cards with a place left, those with the fewest containers first: a container never gets one card twice. */
  #free(resource: string): number[] {
    const { count, shares } = this.#cards[resource] ?? { count: 0, shares: 1 };
    const taken = [...this.#taken.values()].flatMap((assigned) => assigned[resource] ?? []);
    const usersOf = (card: number): number => taken.filter((each) => each === card).length;
    const cards = Array.from({ length: count }, (_, card) => card);
    return cards.filter((card) => usersOf(card) < shares).sort((a, b) => usersOf(a) - usersOf(b) || a - b);
  }
}

export function environmentOfDevices(assigned: Assigned): Record<string, string> {
  const entries = Object.entries(assigned).flatMap(([resource, cards]) =>
    (variables[resource] ?? []).map((name) => [name, cards.join(",")] as const),
  );
  return Object.fromEntries(entries);
}
