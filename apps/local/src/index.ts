export { findLocalImage, type ModelStoreApi, offeredMemory } from "@trivium/node";
export { backgroundLog, findRunning, startInBackground, startOptionsOf, stopRunning } from "./background.ts";
export { type ControlPlane, startControlPlane } from "./control-plane.ts";
export { findDashboard } from "./dashboard/start-token.ts";
export { dialectDefinitions, dialects } from "./definitions.ts";
export { demoManifest } from "./demo.ts";
export { defaultDialectNames, describeUnmanaged, dialectNames, parseDialects } from "./dialect-names.ts";
export {
  createDialects,
  type DialectOptions,
  dialectsBehind,
  modelStoreWith,
  optionsBehind,
  recordBehind,
} from "./dialect-options.ts";
export { installBuild, proveBuild, provenBuild, removeBuild } from "./engine-builds/install-build.ts";
export { findGpus, installedBuilds, presentBuild, suggestBuild } from "./engine-builds/installed-builds.ts";
export type { RunRecord } from "./home.ts";
export { describeLeftPods, listLeftPods, stopLeftPods } from "./left-pods.ts";
export { defaultGatewayPort, defaultHome, defaultPort, parseFolder, parsePort, type UpOptions } from "./options.ts";
export { ownPrograms } from "./programs.ts";
export { up } from "./up.ts";
export { describeStored, verifyStores, weightStores } from "./weight-stores.ts";
