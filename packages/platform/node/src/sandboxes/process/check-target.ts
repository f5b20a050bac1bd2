import type { CheckTarget } from "../../health/check-target.ts";
import type { ContainerRun } from "../../sandbox.ts";
import { Cgroup } from "./processes/cgroups.ts";
import type { Preparation, Setup } from "./run/launch.ts";
import { runInside } from "./run/run-inside.ts";

export type Ready = Extract<Preparation, { is: "ready" }>;

export interface CheckTargetOptions {
  readonly run: ContainerRun;
  readonly setup: Setup;
  readonly cgroup: string | undefined;
  /** Nothing where the environment of a container that was taken over cannot be made again. */
  readonly ready: Ready | undefined;
}

/** A container as its probes and hooks see it. */
export function checkTargetOf({ run, setup, cgroup, ready }: CheckTargetOptions): CheckTarget {
  const { address = setup.address, ports = new Map<number, number>() } = ready?.launch ?? {};
  return {
    container: run.container,
    address,
    ports,
    run: async (command, options) => {
      if (ready === undefined) return { is: "failed", message: "cannot recreate the environment of the container" };
      const { launch, commandOf = (same) => same } = ready;
      const join = cgroup === undefined ? undefined : new Cgroup(cgroup).join;
      return await runInside({ command: commandOf(command), launch, join, ...options });
    },
  };
}
