export { KServeClusterServingRuntime, KServeInferenceService, KServeServingRuntime } from "../generated/neighbours.ts";
