export { NodeAgent } from "./agent.ts";
export { type ContainerEngine, findContainerEngine } from "./containers/container-engine.ts";
export type { Accelerator } from "./devices/accelerators.ts";
export { findAccelerators } from "./devices/find-accelerators.ts";
export { observeMachine, offeredMemory } from "./devices/observe-machine.ts";
export { pressureOf } from "./devices/pressure.ts";
export {
  buildsFor,
  type GpuBuild,
  type GpuOffer,
  gpuBuilds,
  type InstalledBuild,
  offerGpu,
} from "./images/engine-builds.ts";
export type { ImageRow, Login } from "./images/image-row.ts";
export { annotateImages, findLocalImage } from "./images/local-images.ts";
export { ImageTableError, parseImageRows } from "./images/user-rows.ts";
export { LogBook } from "./logs/log-book.ts";
export { podLogsOf } from "./logs/pod-logs.ts";
export { type ArtifactManager, ModelStoreAgent, type ModelStoreApi } from "./model-store/model-store-agent.ts";
export type { BackoffLimits } from "./pods/crash-backoff.ts";
export type { NodeProfile } from "./presence/node-object.ts";
export type { Sandbox } from "./sandbox.ts";
export { createSandboxSetup } from "./sandbox-setup/index.ts";
export { endLeftPods, findLeftPods, type LeftPod } from "./sandboxes/process/left-runs.ts";
export { processSandbox } from "./sandboxes/process/process-sandbox.ts";
export type { StageTable } from "./sandboxes/staged/stage.ts";
export { stagedSandbox } from "./sandboxes/staged/staged-sandbox.ts";
export { serviceNetworkOf } from "./services/service-network.ts";
export { ServiceProxy } from "./services/service-proxy.ts";
export { podStreamsOf } from "./streaming/pod-streams.ts";
export { ClaimBinder } from "./volumes/claim-binder.ts";
export { ensureLocalClass, folderProvisioner, localProvisioner } from "./volumes/folder-provisioner.ts";
export { type HostRoot, hostFolder } from "./volumes/host-path.ts";
export { tokensOver } from "./volumes/token-issuer.ts";
