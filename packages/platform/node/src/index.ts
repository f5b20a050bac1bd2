export { NodeAgent, type NodeAgentOptions } from "./agent.ts";
export { type ContainerEngine, findContainerEngine } from "./containers/container-engine.ts";
export { type BackoffLimits, defaultBackoff } from "./crash-backoff.ts";
export { type Accelerator, factsOfAccelerators } from "./devices/accelerators.ts";
export { findAccelerators } from "./devices/find-accelerators.ts";
export { type ObserveOptions, observeMachine } from "./devices/observe-machine.ts";
export { type PressureOptions, pressureOf } from "./devices/pressure.ts";
export type { ImageRow, Login, OwnPrograms } from "./images/image-row.ts";
export { ImageTableError, parseImageRows } from "./images/user-rows.ts";
export { type KubeletEndpoint, type KubeletEndpointOptions, serveKubelet } from "./logs/kubelet-endpoint.ts";
export { LogBook, LogRefusal } from "./logs/log-book.ts";
export type { LogReading } from "./logs/log-reading.ts";
export { podLogsOf } from "./logs/pod-logs.ts";
export {
  type ArtifactManager,
  ModelStoreAgent,
  type ModelStoreAgentOptions,
  type ModelStoreApi,
  type Request,
  type StoredModel,
} from "./model-store/model-store-agent.ts";
export { type NodePressure, type NodeProfile, nodeOf } from "./node-object.ts";
export type {
  ContainerEvent,
  ContainerExit,
  ContainerRole,
  ContainerRun,
  ContainerUsage,
  LogSink,
  PodSetup,
  Sandbox,
  StartedContainer,
  Waiting,
} from "./sandbox.ts";
export {
  createSandboxSetup,
  type LocalSandboxSetup,
  portsAnnotation,
  type SandboxSetupOptions,
} from "./sandbox-setup/index.ts";
export type { Launch, Preparation, SandboxSetup, Setup } from "./sandboxes/process/launch.ts";
export { type ProcessSandboxOptions, processSandbox } from "./sandboxes/process/process-sandbox.ts";
export { defaultStages, stageAnnotation } from "./sandboxes/staged/default-stages.ts";
export type { Life, Stage, StagedExit, StagedLine, StageMatch, StageTable } from "./sandboxes/staged/stage.ts";
export { type StagedOptions, stagedSandbox } from "./sandboxes/staged/staged-sandbox.ts";
export { serviceNetworkOf } from "./services/service-network.ts";
export { ServiceProxy, type ServiceProxyOptions } from "./services/service-proxy.ts";
export { ClaimBinder, type ClaimBinderOptions } from "./volumes/claim-binder.ts";
export {
  ensureLocalClass,
  type FolderProvisionerOptions,
  folderProvisioner,
  localClass,
  localProvisioner,
} from "./volumes/folder-provisioner.ts";
export { type HostRoot, hostFolder } from "./volumes/host-path.ts";
export { type TokenIssuer, tokensOver } from "./volumes/token-issuer.ts";
