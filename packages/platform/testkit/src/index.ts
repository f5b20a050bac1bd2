export { type Acceptance, type AcceptanceList, readAcceptance } from "./acceptance.ts";
export { checkDecision, type Decide, decisionOf } from "./cases/check-decision.ts";
export { readCases, readCaseTexts, type SavedCase } from "./cases/read-cases.ts";
export { type Cluster, startCluster } from "./cluster.ts";
export { FakeClock } from "./fake-clock.ts";
export { type Fault, type FaultyClient, faultyClient } from "./faults.ts";
export { isHeldToFileRights } from "./file-rights.ts";
export {
  type Case,
  type GrowthCase,
  type GrowthChange,
  growthOf,
  hasInstruction,
  isInstruction,
  type LawName,
  namesObject,
  type Remedies,
  type Violation,
  type Vocabulary,
  violationsOf,
} from "./laws/index.ts";
export { ownProgram } from "./own-program.ts";
export {
  debianPackages,
  freePort,
  type LlamaServer,
  llamaServer,
  type NginxOptions,
  type Packages,
  type Podman,
  type Prometheus,
  preparePodman,
  programOf,
  pythonPackages,
  type RegistryOptions,
  type Service,
  type ServicePlan,
  searchPathOf,
  startNginx,
  startPrometheus,
  startRedis,
  startRegistry,
  startService,
} from "./packages/index.ts";
export { type Played, type PlayOptions, playAgain, runThrough } from "./play-again.ts";
export { type FaultProxy, type ProxiedWrite, type ProxyOptions, startFaultProxy } from "./proxy.ts";
export { type FaultPlan, type ProxyFault, planFaults } from "./proxy-faults.ts";
export {
  ClusterPalette,
  clusterPalette,
  flowerPrice,
  type ObservedSample,
  Palette,
  palette,
  palettes,
  Sample,
  sample,
  sampleReconciler,
} from "./sample.ts";
export { HubServer, sendRange } from "./servers/hub-server.ts";
export { type PushPlace, pushImage } from "./servers/push-image.ts";
export { TokenServer } from "./servers/token-server.ts";
export { leavesOf, recording, sampleOf } from "./spec-fields.ts";
export {
  type Backend,
  type ClusterOptions,
  clusterBackend,
  type EmbeddedOptions,
  embeddedBackend,
  type Given,
  type GivenAnswers,
  type GivenModels,
  LeapingClock,
  type ModelStoreFactory,
  type OpenBackend,
  type Operator,
  playStory,
  readStories,
  type Step,
  type Story,
  type StoryNode,
  withinNamespace,
  withinNamespaces,
} from "./stories/index.ts";
export { testAcceptance } from "./test-acceptance.ts";
export { turns } from "./turns.ts";
export { until } from "./until.ts";
export { startWorld, type World, type WorldOptions } from "./world.ts";
