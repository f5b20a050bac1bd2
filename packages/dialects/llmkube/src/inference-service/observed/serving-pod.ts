import { isBusy, type LogPlace, logOnce, logTail, type ObservedPod, servedModels } from "@trivium/domain";
import { observePod as observeCommon, type podReads } from "@trivium/engines";
import type { Pod } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import type { Fact } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { templateAnnotation } from "../../names.ts";
import { engineOf } from "../pod/engines/index.ts";
import { observeShield } from "../roles/disruption.ts";
import { isRecycling } from "../roles/pod-lifetime.ts";

export interface ObservedServingPod extends ObservedPod {
  readonly uid?: string | undefined;
  /** Whether its engine says how many requests it is working on. */
  readonly tellsLoad?: boolean;
  /** Whether a node that comes and goes should leave it in peace now, or need not any more. */
  readonly shield?: "wanted" | "spent";
  /** What the engine lists; asked of ready pods only. */
  readonly listed?: Fact<readonly string[]>;
  /** Whether it is working on requests; asked only where a rollout would wait for that, and of engines that tell. */
  readonly busy?: Fact<boolean>;
  /** The end of the log of a download that runs. */
  readonly progress?: Fact<string>;
  /** How an engine on GPUs started. */
  readonly startLog?: Fact<string>;
}

export interface PodInput {
  readonly pod: Pod;
  readonly hasGpu: boolean;
  readonly reader: Reader<(typeof podReads)[number]>;
}

export function observePod(service: InferenceService, { pod, hasGpu, reader }: PodInput): ObservedServingPod {
  const { uid } = pod.metadata;
  const observed: ObservedServingPod = {
    ...observeCommon(pod, templateAnnotation, reader),
    ...(uid === undefined ? {} : { uid }),
    ...observeShield(service, pod, reader),
  };
  const fetching = observed.containers.find(
    ({ name, role, state }) => role === "prepares" && state.is === "running" && name.endsWith("model-downloader"),
  );
  if (fetching !== undefined) return { ...observed, progress: reader.ask(logTail, logOf(pod, fetching.name, 5)) };
  if (!observed.isReady || observed.isLeaving || observed.address === undefined) return observed;
  return { ...observed, ...observeEngine(service, { pod, hasGpu, reader }) };
}

/** What a ready engine says of itself. */
function observeEngine(service: InferenceService, { pod, hasGpu, reader }: PodInput): Partial<ObservedServingPod> {
  const { runtime = "llamacpp", rolloutPolicy } = service.spec;
  const engine = engineOf(runtime);
  if (engine === undefined) return {};
  const port = pod.spec?.containers.find(({ name }) => name === engine.container)?.ports?.[0]?.containerPort;
  const url = `http://${pod.status?.podIP}:${port ?? engine.port}`;
  const isAsked = rolloutPolicy?.waitForIdle === true || isRecycling(service);
  return {
    ...(engine.tellsLoad === true ? { tellsLoad: true } : {}),
    ...(isAsked && engine.tellsLoad === true ? { busy: reader.ask(isBusy, { url, engine: runtime }) } : {}),
    ...(engine.listsModels ? { listed: reader.ask(servedModels, { url }) } : {}),
    ...(hasGpu && engine.splitsLayers === true
      ? { startLog: reader.ask(logOnce, logOf(pod, engine.container, 2048)) }
      : {}),
  };
}

function logOf({ metadata, status }: Pod, container: string, lines: number): LogPlace {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const restarts = all.find(({ name }) => name === container)?.restartCount ?? 0;
  return { namespace: metadata.namespace ?? "", pod: metadata.name ?? "", container, restarts, lines };
}
