export { KServeClusterServingRuntime, KServeInferenceService, KServeServingRuntime } from "../generated/third-party.ts";
