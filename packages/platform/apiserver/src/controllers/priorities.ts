import type { PriorityClass } from "@trivium/kube";
import type { StrategyContext } from "../resource.ts";
import type { Storage } from "../storage/storage.ts";

/** Classes that every cluster has from its first day. */
const always: Readonly<Record<string, number>> = {
  "system-cluster-critical": 2_000_000_000,
  "system-node-critical": 2_000_001_000,
};

/** The priority class that a new pod is of: the one it names, or else the one that is meant for all. */
export function createPriorities({ store }: Storage): Required<Pick<StrategyContext, "priorityClassOf">> {
  return {
    priorityClassOf(name) {
      if (name !== undefined && Object.hasOwn(always, name)) return { name, value: always[name] as number };
      for (const { text } of store.list("priorityclasses.scheduling.k8s.io")) {
        const { metadata, value, globalDefault, preemptionPolicy } = JSON.parse(text) as PriorityClass;
        const isMeant = name === undefined ? globalDefault === true : metadata.name === name;
        if (isMeant) return { name: metadata.name ?? "", value: value ?? 0, preemptionPolicy };
      }
      return undefined;
    },
  };
}
