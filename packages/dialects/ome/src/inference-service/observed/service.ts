import type { ObservedPod } from "@trivium/domain";
import type { ObservedCanary, ObservedGpu } from "@trivium/engines";
import type { Fact } from "@trivium/std";
import type { AcceleratedComponent, ObservedClass } from "../../accelerators/index.ts";
import type { Configuration } from "../../configuration/index.ts";
import type { Candidate, RuntimeName } from "../../selection/index.ts";
import type { NamedWeight } from "../adapters/observe-weights.ts";
import type { ComponentName } from "../roles/component.ts";
import type { ObservedEntry } from "../traffic/observe.ts";
import type { ObservedInstalledApis } from "./installed-apis.ts";
import type { ObservedModel } from "./model.ts";
import type { ObservedRevision, ObservedWorkload } from "./workload.ts";

/** All that a pass over a service is decided from. */
export interface ObservedService {
  readonly model: Fact<ObservedModel>;
  /** The tuned weights that it names. */
  readonly weights?: readonly NamedWeight[];
  readonly runtimes: readonly Candidate[];
  readonly unreadRuntime?: Fact<never>;
  /** Accelerator classes; only where the service names or selects one. */
  readonly classes?: readonly ObservedClass[];
  readonly deployments: EachComponent<Fact<ObservedWorkload>>;
  readonly pods: EachComponent<readonly ObservedPod[]>;
  readonly installedApis?: ObservedInstalledApis;
  /** What the administrator decides for all services. */
  readonly configuration?: Fact<Configuration>;
  readonly entry?: ObservedEntry;
  /** Only where the API serves them. */
  readonly groups?: EachComponent<Fact<ObservedWorkload>>;
  /** Only where somebody may sleep. */
  readonly revisions?: EachComponent<Fact<ObservedRevision>>;
  /** Only where KEDA takes over from them. */
  readonly autoscalers?: EachComponent<Fact<{ readonly isOurs: boolean }>>;
  /** Memory of the largest node; only before an engine of weights of known size has served. */
  readonly nodeBytes?: number;
  /** GPUs that nodes report, as long. */
  readonly gpus?: readonly ObservedGpu[];
  /** Whether the Service of the prompt cache exists; only where one is shared. */
  readonly promptCache?: Fact<true>;
  /** Only of components that try out what is new. */
  readonly canaries?: Partial<EachComponent<ObservedCanary>>;
}

export type EachComponent<T> = Readonly<Record<ComponentName, T>>;

/** The runtime that the engine runs with, as whatever it runs. */
export function runtimeOf({ deployments, groups, revisions }: ObservedService): RuntimeName | undefined {
  const live = [deployments.engine, groups?.engine, revisions?.engine].find((fact) => fact?.is === "known");
  return live?.is === "known" ? live.value.runtime : undefined;
}

/** The accelerator class that a policy selected for what runs of a component. */
export function selectedClassOf(
  { deployments, groups, revisions }: ObservedService,
  component: AcceleratedComponent,
): string | undefined {
  const facts = [deployments[component], groups?.[component], revisions?.[component]];
  return facts.flatMap((fact) => (fact?.is === "known" ? (fact.value.accelerator ?? []) : []))[0];
}

/** Whether no component has anything that could run pods. */
export const runsNothing = ({ deployments, groups, revisions, pods }: ObservedService): boolean =>
  [deployments, groups, revisions].every((facts) => Object.values(facts ?? {}).every(({ is }) => is === "absent")) &&
  Object.values(pods).every((some) => some.length === 0);
