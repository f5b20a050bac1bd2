import { anyJson, int32, map, obj, opt, type SchemaOf, str } from "@trivium/schema";
import type { Json } from "@trivium/std";
import { metric, precision, profileType } from "./vocabulary.ts";

/** One way to run a model, as its container reports it. */
export const profileMetadata = obj("Properties of the profile", {
  engine: opt(str("Inference engine, such as vllm")),
  gpu: opt(str("GPU model that the profile is tuned for")),
  gpuCount: opt(int32("Number of GPUs for each replica")),
  metric: opt(metric("Optimization goal of the profile")),
  precision: opt(precision("Numeric precision of the profile")),
  type: opt(profileType("Optimization level of the profile: optimized, preview or unoptimized")),
});

const engineArguments: SchemaOf<Json> = anyJson("Arguments of the engine, in the form that the engine expects");

export const profile = obj("Profile that discovery found for this template", {
  engine_args: opt(engineArguments),
  env_vars: opt(map("Environment variables that the engine needs for this profile", str("Value of the variable"))),
  metadata: opt(profileMetadata),
});
