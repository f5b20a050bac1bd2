import type { Pod } from "@trivium/kube";
import type { Clock } from "@trivium/runtime";
import type { PodSetup, Sandbox } from "../../sandbox.ts";
import { AddressPool } from "./address-pool.ts";
import { compileStages } from "./compile-stages.ts";
import { defaultStages } from "./default-stages.ts";
import type { StageTable } from "./stage.ts";
import { StagedContainer } from "./staged-container.ts";

export interface StagedOptions {
  readonly clock: Clock;
  /** Tried before the default stages. */
  readonly stages?: StageTable;
  /** `10.244.3.0/24`: where pods get their addresses from. */
  readonly podCidr: string;
}

/** Runs nothing: containers live as a table says. For tests, demonstrations, and nodes without containers. */
export function stagedSandbox({ clock, stages = [], podCidr }: StagedOptions): Sandbox {
  const lifeOf = compileStages([...stages, ...defaultStages]);
  const addresses = new AddressPool(podCidr);
  return {
    scheme: "staged",
    async open(pod: Pod): Promise<PodSetup> {
      const uid = pod.metadata.uid ?? "";
      return {
        address: addresses.take(uid, pod.status?.podIP),
        start: (run, tell) => new StagedContainer(run, lifeOf(run), clock, tell),
        close: () => addresses.release(uid),
      };
    },
  };
}
