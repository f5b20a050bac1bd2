export { checkDecision, decisionOf } from "./cases/check-decision.ts";
export { readCases, type SavedCase } from "./cases/read-cases.ts";
export { type Cluster, startCluster } from "./cluster.ts";
export { FakeClock } from "./fake-clock.ts";
export { type Fault, faultyClient } from "./faults.ts";
export { isHeldToFileRights } from "./file-rights.ts";
export {
  type Case,
  type GrowthCase,
  growthNamespace,
  growthNode,
  growthOfKind,
  hasInstruction,
  isInstruction,
  type ManyServices,
  type NamedLater,
  nameOfObject,
  namesObject,
  type ObjectsOf,
  podWorlds,
  testGrowth,
  testTakeOver,
  untriedKinds,
  type Vocabulary,
  violationsOf,
} from "./laws/index.ts";
export { ownProgram } from "./own-program.ts";
export {
  debianPackages,
  freePort,
  llamaServer,
  type Packages,
  type Prometheus,
  preparePodman,
  programOf,
  pythonPackages,
  type RegistryOptions,
  type ScrapeJob,
  searchPathOf,
  startChromium,
  startNginx,
  startPrometheus,
  startRegistry,
  startService,
} from "./packages/index.ts";
export { playAgain, runThrough } from "./play-again.ts";
export { type FaultProxy, startFaultProxy } from "./proxy.ts";
export { planFaults } from "./proxy-faults.ts";
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
  ClusterFixture,
  clusterBackend,
  differencesOf,
  type EmbeddedOptions,
  embeddedBackend,
  type Given,
  type GivenAnswers,
  LeapingClock,
  type ModelStoreFactory,
  type Operator,
  pickStories,
  playStory,
  readStories,
  StagedAnswers,
  StagedModelStore,
  type Step,
  type Story,
  type StoryNode,
  withinNamespace,
} from "./stories/index.ts";
export { testAcceptance } from "./test-acceptance.ts";
export { turns } from "./turns.ts";
export { until } from "./until.ts";
export { startWorld, type World, type WorldOptions } from "./world.ts";
