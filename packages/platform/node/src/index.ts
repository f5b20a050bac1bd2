export { NodeAgent, type NodeAgentOptions } from "./agent.ts";
export { type BackoffLimits, defaultBackoff } from "./crash-backoff.ts";
export { type Accelerator, factsOfAccelerators } from "./devices/accelerators.ts";
export { type KubeletEndpoint, type KubeletEndpointOptions, serveKubelet } from "./logs/kubelet-endpoint.ts";
export { LogBook, LogRefusal } from "./logs/log-book.ts";
export { podLogsOf } from "./logs/pod-logs.ts";
export { type NodeProfile, nodeOf } from "./node-object.ts";
export type {
  ContainerEvent,
  ContainerExit,
  ContainerRole,
  ContainerRun,
  LogSink,
  PodRoom,
  Sandbox,
  StartedContainer,
  Waiting,
} from "./sandbox.ts";
export { defaultStages, stageAnnotation } from "./sandboxes/staged/default-stages.ts";
export type { Life, Stage, StagedExit, StagedLine, StageMatch, StageTable } from "./sandboxes/staged/stage.ts";
export { type StagedOptions, stagedSandbox } from "./sandboxes/staged/staged-sandbox.ts";
export { ClaimBinder, type ClaimBinderOptions } from "./volumes/claim-binder.ts";
